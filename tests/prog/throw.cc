// SPDX-License-Identifier: MIT
/*
 * C++ exceptions through frames with destructors, and names to demangle.
 */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/prog/spin.h"

namespace shop
{

static int released;

struct Guard {
	~Guard()
	{
		released++;
	}
};

template <typename Item> class Basket
{
      public:
	SPIN_NOINLINE int price(const std::vector<Item> &items, int depth);
};

template <typename Item>
int Basket<Item>::price(const std::vector<Item> &items, int depth)
{
	Guard guard;

	spin_ms(1);
	if (depth == 0)
		throw std::out_of_range(std::to_string(items.size()));
	return price(items, depth - 1) + 1;
}

SPIN_NOINLINE int settle(Basket<int> &basket)
{
	spin_ms(2);
	try {
		return basket.price({1, 2, 3}, 4);
	} catch (const std::out_of_range &error) {
		return static_cast<int>(std::string(error.what()).size());
	}
}

} // namespace shop

static int throw_and_catch()
{
	shop::Basket<int> basket;
	int caught = 0;

	for (int i = 0; i < 100; i++)
		caught += shop::settle(basket);
	std::printf("throw: caught %d, released %d\n", caught, shop::released);
	return caught == 100 && shop::released == 500 ? 0 : 1;
}

#ifdef PLUGIN
extern "C" int plugin_run(void);
extern "C" int plugin_run(void)
#else
int main()
#endif
{
	return throw_and_catch();
}

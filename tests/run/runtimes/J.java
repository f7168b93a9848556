// SPDX-License-Identifier: MIT
// Four threads with so many turns each; every so many turns the processor faults.
public class J {
	static int length(int[] of) {
		return of.length; // a SIGSEGV that the JVM makes an exception
	}

	static int part(int of, int by) {
		return of / by; // a SIGFPE
	}

	static long work(int n, int turns, int every) {
		long sum = n;
		for (int i = 0; i < turns; i++) {
			sum = sum * 31 + i;
			if (i % every != 0)
				continue;
			try {
				sum += length(i / every % 2 == 0 ? null : new int[3]);
			} catch (NullPointerException e) {
				sum++;
			}
			try {
				sum += part(i, i / every % 2);
			} catch (ArithmeticException e) {
				sum += 2;
			}
			if (i % 100000 == 0)
				sum += new byte[1 << 16].length;
		}
		return sum;
	}

	public static void main(String[] arguments) throws Exception {
		int turns = Integer.parseInt(arguments[0]), every = Integer.parseInt(arguments[1]);
		Thread[] threads = new Thread[4];
		long[] results = new long[4];
		for (int k = 0; k < 4; k++) {
			final int n = k;
			threads[k] = new Thread(() -> results[n] = work(n, turns, every));
			threads[k].start();
		}
		for (int k = 0; k < 4; k++) {
			threads[k].join();
			System.out.println(results[k]);
		}
	}
}

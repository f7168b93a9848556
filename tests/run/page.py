# SPDX-License-Identifier: MIT
"""page.py contents PAGE JSON: the page holds that report and refers to nothing else.
page.py browser DIRECTORY: what a browser shows of DIRECTORY's demo and burn pages."""
import json
import re
import sys

from browser import Browser

failures = 0
AREAS = ["retiring", "bad_speculation", "frontend_bound", "backend_bound"]


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("page.py: " + what)


def same(found, expected, what):
    check(found == expected, "%s: %r, not %r" % (what, found, expected))


def embedded(page):
    begin = page.index('<script id="profile" type="application/json">') + len('<script id="profile" type="application/json">')
    return begin, page.index("</script>", begin)


def contents(page, report):
    page = open(page).read()
    begin, end = embedded(page)
    same(json.loads(page[begin:end]), json.load(open(report)), "the report in the page")
    rest = page[:begin] + page[end:]
    check(len(rest) < 1 << 20, "%d bytes of page" % len(rest))
    check("uPlot" in rest and "Permission is hereby granted" in rest, "no licence of uPlot")
    check("default-src 'none'" in rest, "the page may load things")
    for attribute in re.findall(r"<[^>]*\b(?:src|href)=[^>]*>", rest):
        check('href="#' in attribute, "refers to elsewhere: " + attribute)


def percent(value):
    # as the page rounds: from the binary value, halves up
    from decimal import ROUND_HALF_UP, Decimal
    return str(Decimal(100 * value).quantize(Decimal("0.1"), ROUND_HALF_UP))


def cells(browser, key):
    return browser.run("[...document.querySelectorAll('.body .row')].map(r => { const c = r.querySelector('[data-key=%s]');"
                       " return c ? c.textContent : null; })" % key)


def names(browser):
    return browser.run("[...document.querySelectorAll('.body .row b')].map(b => b.textContent)")


def answer(f):
    of = f["total"] if f.get("answer") == "total" else f
    return of.get("topdown", {}), of.get("bottleneck")


def shown_rows(browser, report):
    """All columns of the first rows, which are the functions in the order of the report."""
    rows = report["functions"][:10]
    same(names(browser)[:10], [f["name"] for f in rows], "names")
    same(cells(browser, "share")[:10], [percent(f["share"]) + " %" for f in rows], "shares")
    same([c.replace("\u202f", "") for c in cells(browser, "windows")[:10]],
         [str(f.get("used_windows", f["windows"]["valid"])) for f in rows], "windows")
    for area in AREAS:
        expected = []
        for f in rows:
            e = answer(f)[0].get(area)
            half = (e["high"] - e["low"]) / 2 if e else 0
            alone = f.get("answer") == "total" or f.get("evidence") != "callers"
            expected.append("%s ±%s%s" % (percent(e["value"]), percent(half), "" if half <= 0.1 and alone else "?") if e else "")
        same(cells(browser, area)[:10], expected, area)
    limits = [answer(f)[1] for f in rows]
    for text, limit in zip(cells(browser, "bottleneck"), limits):
        words = limit.replace("_", " ").capitalize() if limit else ""
        check(text.startswith(words), "limited by %r, not %r" % (text, words))
    widths = browser.run("[...document.querySelectorAll('.body .row')].map(r => [...r.querySelectorAll('.stack i')]"
                         ".map(i => [i.classList[0], i.getBoundingClientRect().width / i.parentNode.clientWidth]))")
    for parts, f in zip(widths, rows):
        topdown = answer(f)[0]
        for area in AREAS:
            drawn = sum(width for name, width in parts if name == area)
            check(abs(drawn - topdown.get(area, {"value": 0})["value"]) < 0.02, "%s: a bar of %.3f for %s" % (f["name"], drawn, area))


def shown_details(browser, report):
    f = report["functions"][0]
    topdown = f["topdown"]
    rows = dict(browser.run("[...document.querySelectorAll('#details tbody')][0] ? [...document.querySelector('#details tbody').rows]"
                            ".map(r => [r.cells[0].textContent, r.cells[1].textContent]) : []"))
    same(len(rows), len(topdown), "nodes in the details")
    for node, e in topdown.items():
        text = rows.get(node.replace("_", " ").capitalize(), "")
        check(text.startswith(percent(e["value"]) + " ±"), "details: %s is %r" % (node, text))
    hint = browser.run("document.querySelector('#details .hint').textContent")
    limit = answer(f)[1].replace("_", " ").capitalize()
    check(hint.startswith(limit + ": ") and "Helps: " in hint, "hint: " + hint)
    check(f["address"] in browser.run("document.getElementById('details').textContent"), "no address in the details")


def in_sight(text, browser, what):
    check(text in browser.run("document.body.innerText"), "%s: no %r in the page" % (what, text))


def by_keyboard(browser, report):
    functions = report["functions"]
    browser.press("/")
    same(browser.run("document.activeElement.id"), "filter", "focus after /")
    browser.write("links DEMO")
    same(names(browser), [f["name"] for f in functions if "links" in f["name"]], "filtered")
    same(browser.run("document.getElementById('found').textContent"), "1 of %d" % len(functions), "found")
    browser.run("document.getElementById('filter').select()")
    browser.write("no such function")
    same(names(browser), [], "filtered by nonsense")
    in_sight("No function has this", browser, "nothing found")
    browser.run("document.getElementById('filter').select()")
    browser.write("_")
    # the one that was found before stays chosen
    some = [f["name"] for f in functions if "_" in f["name"] + f["module"].rsplit("/")[-1]]
    same(names(browser), some[:len(names(browser))], "filtered by _")
    same(browser.run("document.getElementById('found').textContent"), "%d of %d" % (len(some), len(functions)), "found")
    browser.press("Enter")
    browser.press("ArrowDown")
    below = some[some.index("follow_links") + 1]
    same(browser.run("document.querySelector('[aria-selected=true] b').textContent"), below, "chosen")
    same(browser.run("document.querySelector('#details h2').textContent"), below, "details of")
    browser.press("Enter")
    same(browser.run("document.activeElement.id"), "details", "focus after Enter")
    browser.press("Escape")
    browser.press("/")
    browser.run("document.getElementById('filter').select()")
    browser.press("Delete")
    browser.run("document.getElementById('filter').value = ''; document.getElementById('filter').dispatchEvent(new Event('input'))")
    for key, value in ("name", lambda f: f["name"]), ("share", lambda f: f["share"]), \
            ("backend_bound", lambda f: answer(f)[0].get("backend_bound", {}).get("value")):
        browser.run("document.querySelector('.titles [data-key=%s] button').focus()" % key)
        for _ in range(2):
            browser.press("Enter")
            down = browser.run("document.querySelector('.titles [data-key=%s]').getAttribute('aria-sort')" % key) == "descending"
            known = sorted([value(f) for f in functions if value(f) is not None], reverse=down)
            shown = names(browser)
            # rows far out of sight, above or below the chosen one, are not made
            check(len(shown) >= min(15, len(functions)), "%d rows in sight" % len(shown))
            first = browser.run("Number(document.querySelector('.body .row').dataset.at)")
            expected = (known + [None] * (len(functions) - len(known)))[first:first + len(shown)]
            # two modules may have a function of one name
            may_be = [[value(f) for f in functions if f["name"] == name] for name in shown]
            check(all(e in may for e, may in zip(expected, may_be)),
                  "sorted by %s, %s: %r, not %r" % (key, "down" if down else "up", may_be, expected))


def flame(browser, report):
    paths = report["paths"]
    kinds = {"root": "(start of the thread)", "cut": "(callers not known)"}

    def name(p):
        return report["functions"][p["function"]]["name"] if "function" in p else p.get("name") or kinds[p["kind"]]

    total = paths[0]["total"]
    frames = browser.run("[...document.querySelectorAll('.frame')].map(f => [Number(f.dataset.path), f.textContent,"
                         " f.getBoundingClientRect().width, f.className])")
    room = max(f[2] for f in frames)
    for index, text, width, css in frames:
        path = paths[index]
        check(abs(width - (room + 1) * path["total"] / total) < 2, "frame %d is %g wide" % (index, width))
        if text and index:
            same(text, name(path), "frame %d" % index)
        if "bottleneck" in path:
            area = next((c for c in css.split() if c in AREAS), None)
            check(area is not None, "frame %d has no colour" % index)
    drawn = {f[0] for f in frames}
    for index, path in enumerate(paths):
        check(index in drawn or path["total"] / total * room < 3, "frame %d is not drawn" % index)
    browser.run("document.querySelector('.frames').focus()")
    browser.press("ArrowDown")
    largest = max((p for p in paths if p.get("parent") == 0), key=lambda p: p["total"])
    said = lambda: browser.run("document.querySelector('.said').textContent")
    check(said().startswith("%s %s %% of samples" % (name(largest), percent(largest["total"] / total))), "flame: " + said())
    browser.press("ArrowRight")
    other = max((p for p in paths if p.get("parent") == 0 and p is not largest), key=lambda p: p["total"])
    check(said().startswith(name(other) + " "), "right of it: " + said())
    browser.press("Enter")
    widest = browser.run("Math.max(...[...document.querySelectorAll('.frame:not(.above)')].map(f => f.offsetWidth))")
    check(abs(widest - room) < 3, "zoom: the widest frame has %g of %g" % (widest, room))
    check(browser.run("document.querySelectorAll('.frame').length") < len(frames), "zoom: nothing went")
    browser.press("Escape")
    same(browser.run("document.querySelectorAll('.frame').length"), len(frames), "frames after zooming out")


def timelines(browser, report):
    same(browser.run("document.querySelectorAll('.plot canvas').length"), len(report["threads"]), "timelines")
    drawn = browser.run("[...document.querySelectorAll('.plot canvas')].every(c => { const d = c.getContext('2d')"
                        ".getImageData(0, 0, c.width, c.height).data; return new Set(new Uint32Array(d.buffer)).size > 8; })")
    check(drawn, "a timeline is empty")
    browser.run("document.querySelector('.plot').focus()")
    for _ in range(3):
        browser.press("ArrowRight")
    thread = max(report["threads"], key=lambda t: t["samples"])
    bucket = thread["timeline"]["buckets"][2]
    values = browser.run("[...document.querySelector('.plot').querySelectorAll('.u-value')].map(v => v.textContent)")
    expected = [percent(bucket["topdown"][area]) + " %" for area in reversed(AREAS)]
    same(values[1:], expected, "values at the third bucket")


HOSTILE = ["</script><script>window.bad = 1</script>", "<img src=x onerror='window.bad = 1'>", "<!--<script>",
           "&lt;b&gt;", "operator<<", "a\u2028b", "std::map<int, std::pair<long, char const*> >::operator[](int&&)"]


def large(directory, report):
    """A page with 10,000 functions, some with names that would do harm as markup."""
    page = open(directory + "/demo.html").read()
    begin, end = embedded(page)
    few = report["functions"]
    report = dict(report, functions=[dict(few[i % len(few)], name=HOSTILE[i] if i < len(HOSTILE) else "function_%05d" % i,
                                          share=(10000 - i) / 5e7) for i in range(10000)])
    text = json.dumps(report).replace("<", "\\u003c")
    open(directory + "/large.html", "w").write(page[:begin] + text + page[end:])


def look_at_large(browser, directory):
    browser.open(directory + "/large.html")
    same(names(browser)[:len(HOSTILE)], HOSTILE, "hostile names")
    same(browser.run("window.bad === undefined && document.images.length"), 0, "harm done")
    paint = browser.run("performance.getEntriesByType('paint').map(p => p.startTime)[0]")
    ready = browser.run("performance.timing.domComplete - performance.timing.navigationStart")
    check(browser.run("document.querySelectorAll('.body .row').length") < 100, "rows out of sight exist")
    browser.run("document.querySelector('.body').focus()")
    spent = browser.run("(async () => { const t = performance.now(); for (let i = 0; i < 50; i++) {"
                        " document.querySelector('.grid').scrollTop += 102; await new Promise(requestAnimationFrame); }"
                        " return (performance.now() - t) / 50; })()")
    browser.press("End")
    same(browser.run("document.querySelector('[aria-selected=true] b').textContent"), "function_09999", "the last function")
    browser.press("/")
    browser.write("function_0777")
    same(names(browser), ["function_%05d" % i for i in range(7770, 7780)], "filtered out of 10,000")
    print("10,000 functions: first paint after %.0f ms, ready after %.0f ms, %.1f ms a frame of scrolling by three rows"
          % (paint or 0, ready, spent))


def no_topdown(browser, directory):
    """Samples alone: nothing is called top-down, and the page says why."""
    report = json.load(open(directory + "/burn.json"))
    browser.open(directory + "/burn.html")
    same(names(browser)[0], report["functions"][0]["name"], "first name")
    same(browser.run("document.querySelectorAll('.stack').length"), 0, "bars without top-down")
    in_sight("Top-down was not measured", browser, "clock")
    in_sight("took no call paths", browser, "clock")


def widths(browser, page):
    """Of some functions, and of so many that they have a scroll bar."""
    for width in 320, 390, 800, 1200, 1920:
        for dark in False, True:
            browser.size(width, 900)
            browser.dark(dark)
            browser.open(page)
            check(browser.soon("document.documentElement.scrollWidth <= window.innerWidth"), "%d: wider than the window" % width)
            check(browser.soon("(g => g.scrollWidth <= g.clientWidth)(document.querySelector('.grid'))"), "%d: a column is cut" % width)
            check(browser.soon("[...document.querySelectorAll('.body [role=gridcell]')].every(c => c.scrollHeight <= 34 &&"
                               " (c.scrollWidth <= c.clientWidth || c.dataset.key === 'name'))"), "%d: a cell is too small" % width)
    browser.size(1920, 1000)
    browser.dark(False)


def contrast(browser):
    """Texts against what they stand on, 4.5:1 at least."""
    for dark in False, True:
        browser.dark(dark)
        low = browser.run("""(() => {
            const rgb = s => s.match(/[\\d.]+/g).map(Number);
            const light = c => { const [r, g, b] = c.map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const under = n => { for (; n; n = n.parentElement) { const c = rgb(getComputedStyle(n).backgroundColor);
                if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return dark ? [18, 21, 26] : [255, 255, 255]; };
            const bad = [];
            const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let t = walk.nextNode(); t; t = walk.nextNode()) {
                const n = t.parentElement;
                if (!t.data.trim() || !n.getClientRects().length || n.closest("script")) continue;
                const [a, b] = [light(rgb(getComputedStyle(n).color).slice(0, 3)), light(under(n))].sort((x, y) => y - x);
                if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(t.data.trim().slice(0, 30) + " " + ((a + 0.05) / (b + 0.05)).toFixed(2));
            }
            return bad;
        })()""".replace("dark ?", "%s ?" % ("true" if dark else "false")))
        same(low, [], "contrast, %s" % ("dark" if dark else "light"))
    browser.dark(False)


def in_browser(directory):
    report = json.load(open(directory + "/demo.json"))
    browser = Browser(directory)
    try:
        browser.size(1920, 1000)
        browser.open(directory + "/demo.html")
        in_sight("SIMULATED", browser, "demo")
        shown_rows(browser, report)
        shown_details(browser, report)
        by_keyboard(browser, report)
        flame(browser, report)
        timelines(browser, report)
        widths(browser, directory + "/demo.html")
        contrast(browser)
        no_topdown(browser, directory)
        large(directory, report)
        look_at_large(browser, directory)
        widths(browser, directory + "/large.html")
        same(browser.errors, [], "errors in the console")
    finally:
        browser.close()


if sys.argv[1] == "contents":
    contents(*sys.argv[2:])
else:
    in_browser(sys.argv[2])
sys.exit(failures != 0)

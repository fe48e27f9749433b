"""The page in a real browser: what is seen, what hands do, what goes wrong, and nothing else.

Pictures are looked at as a person would: the background and the walls are grey, grains have colour.
"""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest
from view_browser import Browser
from view_folders import SIDE, block_of_grains, make_run

import granum as gr
import swept_run
from granum.output import FrameWriter
from granum.view import Record, export_page
from granum.view.bundle import page_files

SIZE = (800, 500)
STAGE = (slice(80, 380), slice(0, SIZE[0] - 300))  # shows nothing but the scene


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("browser"), SIZE)
    yield found
    found.close()


@pytest.fixture
def page(browser, client):
    """The page of the run, opened anew."""
    browser.resize(*SIZE)
    browser.open(client.address)
    ready(browser)
    yield browser
    assert browser.complaints == []
    assert all(address.startswith((client.address, "blob:")) for address in browser.asked)


def ready(browser):
    browser.until("document.body?.dataset.ready")
    settle(browser)


def settle(browser):
    """Wait until what was asked for is drawn."""
    browser.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def go(browser, frame):
    browser.choose("time", str(frame))
    browser.until(f"document.body.dataset.frame === '{frame}'")
    settle(browser)


def scene(browser):
    return browser.picture()[STAGE]


def coloured(picture):
    return picture.max(axis=2) - picture.min(axis=2) > 60


def test_grains_are_drawn_and_move_with_the_slider(page):
    first = coloured(scene(page))
    assert 0.03 < first.mean() < 0.7
    go(page, 4)
    last = coloured(scene(page))
    assert 0.03 < last.mean() < 0.7
    columns = np.arange(first.shape[1])
    places = [float((columns * seen.sum(axis=0)).sum() / seen.sum()) for seen in (first, last)]
    assert places[1] - places[0] > 50  # the block slides along x, to the right
    assert page.ask("document.getElementById('clock').textContent") == "0.400 s of 0.400 s"


def test_colours_change_with_the_quantity_and_the_map(page):
    """By speed the block is layered, by species it is mixed; in grey there is no colour."""
    before = scene(page)
    options = page.ask("[...document.getElementById('quantity').options].map(o => o.text)")
    page.choose("quantity", str(options.index("species")))
    page.until("document.getElementById('legend').textContent.includes('steel')")
    settle(page)
    after = scene(page)
    seen = coloured(before) & coloured(after)
    assert (np.abs(before - after).max(axis=2)[seen] > 40).mean() > 0.5
    assert "<b>lead</b>" in page.ask("document.getElementById('legend').textContent")
    page.choose("quantity", "0")
    page.choose("map", "grey")
    page.until("document.getElementById('legend').textContent.includes('speed')")
    settle(page)
    assert coloured(scene(page)).mean() < 0.01


def test_a_range_of_ones_own(page):
    page.choose("low", "-5")
    page.choose("high", "0.05")
    page.until("document.getElementById('legend').textContent.includes('-5')")
    settle(page)
    pixels = scene(page)[coloured(scene(page))]
    assert (pixels[:, 0] > pixels[:, 2] + 60).mean() > 0.9  # all beyond the end: yellow


def middle_of_a_grain(browser):
    """A pixel in the thick of what is coloured, in coordinates of the page."""
    seen = coloured(scene(browser))
    row = int(np.median(np.nonzero(seen)[0]))
    return float(np.median(np.flatnonzero(seen[row]))), float(row + STAGE[0].start)


def test_picking_a_grain_shows_its_numbers(page):
    x, y = middle_of_a_grain(page)
    page.click(x, y)
    page.until("!document.getElementById('card').hidden")
    text = page.ask("document.getElementById('card').textContent")
    number = int(re.match(r"Grain (\d+)", text)[1])
    frame = block_of_grains(0, 5)
    assert 0 <= number < SIDE**3
    speed = np.linalg.norm(frame.fields["velocity"][number])
    assert f"velocity{speed:.4g} m/s" in text
    assert f"material{('glass', 'steel', '<b>lead</b>')[number % 3]}" in text
    settle(page)
    go(page, 2)  # it is followed
    page.until(f"document.getElementById('card').textContent.startsWith('Grain {number}')")
    inner = (slice(20, -20), slice(20, -20))  # a key shows what has the focus by a frame
    before = scene(page)[inner]
    page.key("v")  # its power cell, in red and blue lines
    page.until("document.body.dataset.cell?.startsWith('2 ')")
    settle(page)
    lines = np.abs(scene(page)[inner] - before).max(axis=2) > 40
    assert 20 < lines.sum() < 0.2 * lines.size
    page.key("v")
    settle(page)
    assert np.array_equal(scene(page)[inner], before)
    place = ", ".join(f"{x:.4g}" for x in block_of_grains(2, 5).points[number])
    page.until(f"document.getElementById('card').textContent.includes({place!r})")
    page.key("Escape")
    assert page.ask("document.getElementById('card').hidden")
    page.click(20, 300)  # beside all grains
    assert page.ask("document.getElementById('card').hidden")


def test_camera_cut_contacts_and_walls(page):
    seen = {"start": scene(page)}
    for keys, name in (("3", "top"), ("1", "front"), ("xx", "cut"), ("w", "no walls"),
                       ("-", "far")):
        for letter in keys:
            page.key(letter)
        settle(page)
        seen[name] = scene(page)
    names = list(seen)
    for before, after in itertools.pairwise(names):
        assert (np.abs(seen[before] - seen[after]).max(axis=2) > 8).mean() > 0.001, after
    assert coloured(seen["far"]).sum() < coloured(seen["no walls"]).sum()
    page.choose("grains", "0")
    settle(page)
    assert coloured(scene(page)).mean() < 0.001
    page.key("n")
    page.until("document.getElementById('rod-legend').textContent.includes('overlap')")
    settle(page)
    assert coloured(scene(page)).mean() > 0.002  # every other grain is smaller: few touch


def test_grains_are_translucent_where_one_looks_inside(page):
    """Contacts and the triangulation lie inside grains; these turn to glass, and solid again."""
    grains = "document.getElementById('grains').value"
    solid, grain = scene(page), middle_of_a_grain(page)
    page.key("t")
    page.until(f"{grains} === 'glass'")
    page.until("document.body.dataset.edges > 500")
    settle(page)
    seen = scene(page)
    blue = (seen[..., 2] - seen[..., 0] > 60).mean()
    assert (np.abs(solid - seen).max(axis=2) > 8).mean() > 0.03
    page.key("t")
    page.until(f"{grains} === '1'")
    page.until("document.body.dataset.edges === '0'")
    settle(page)
    assert np.array_equal(scene(page), solid)
    page.choose("grains", "glass")
    settle(page)
    glass = scene(page)
    assert ((glass[..., 2] - glass[..., 0] > 60).mean()) < 0.5 * blue
    assert coloured(glass).mean() < 0.5 * coloured(solid).mean()
    page.click(*grain)
    page.until("!document.getElementById('card').hidden")


def test_pictures_get_coarser_while_the_card_is_slow(page):
    """Told by numbers, since this browser draws in software, where it is never done."""
    told = page.ask("""import("/pace.js").then(({ Pace }) => { const pace = new Pace(), seen = [];
        const tick = (time, times) => {
          for (let k = 0; k < times; k++) pace.tick(time);
          seen.push(pace.share); };
        tick(90, 1); tick(16, 1); tick(90, 2); tick(90, 50); tick(16, 10); tick(30, 50);
        tick(16, 100); return seen; })""")
    assert told == pytest.approx([1.0, 1.0, 0.8, 0.5, 0.575, 0.575, 1.0])


def test_everything_from_the_keyboard(page):
    page.key("ArrowRight")
    page.until("document.body.dataset.frame === '1'")
    page.key("End")
    page.until("document.body.dataset.frame === '4'")
    page.key("Home")
    page.until("document.body.dataset.frame === '0'")
    page.key("?")
    assert page.ask("document.getElementById('keys').open")
    assert page.ask("document.getElementById('key-list').children.length") > 20
    page.ask("document.getElementById('keys').close()")
    settle(page)
    page.key("d")
    assert page.ask("document.documentElement.dataset.theme") == "dark"
    page.choose("speed", "60")
    page.ask("document.getElementById('time').focus()")
    page.key("ArrowRight")  # taken by the slider itself, once
    page.until("document.body.dataset.frame === '1'")
    page.key("d")  # a slider leaves all other keys alone
    assert page.ask("document.documentElement.dataset.theme") == "light"
    page.key(" ")
    page.until("document.body.dataset.frame === '4'")
    page.until("document.getElementById('play').getAttribute('aria-label') === 'Play'")


def test_wishes_that_come_quickly_all_count(page):
    """Expected: rods and the new colour. Seen: rods lost while the colour was on its way."""
    page.ask("""(() => { const change = (id, set) => { const it = document.getElementById(id);
        set(it); it.dispatchEvent(new Event("change")); };
        change("quantity", it => { it.value = "1"; });
        change("network", it => { it.checked = true; }); })()""")
    page.until("document.getElementById('rod-legend').textContent.includes('overlap')")
    page.until("document.getElementById('legend').textContent.includes('size')")


def test_every_control_has_a_name(page):
    nameless = page.ask("""[...document.querySelectorAll("button, input, select, canvas")]
        .filter(it => !(it.getAttribute("aria-label") || it.textContent.trim()
                        || it.closest("label")?.textContent.trim() || it.closest("[aria-label]")))
        .map(it => it.outerHTML)""")
    assert nameless == []


def test_the_plots_follow_and_lead(page):
    page.until("document.querySelector('#plots canvas')?.getAttribute('aria-label')")
    label = "document.querySelector('#plots canvas').getAttribute('aria-label')"
    assert page.ask(label) == "kinetic: 400 J now, from 0 to 841 J over the run"
    go(page, 2)
    assert page.ask(label).startswith("kinetic: 0 J now")
    box = page.ask("""(() => { const it = document.querySelector('#plots canvas');
        it.scrollIntoView(); const b = it.getBoundingClientRect();
        return [b.left, b.top, b.width, b.height]; })()""")
    page.click(box[0] + 0.8 * box[2], box[1] + 0.5 * box[3])  # the series goes to 0.49 s
    page.until("document.body.dataset.frame === '4'")


@pytest.mark.parametrize("width", [320, 390, 760])
def test_narrow_screens_need_no_sideways_scrolling(page, width):
    page.resize(width, 700)
    x, y = SIZE[0] / 3, 200
    page.click(min(x, width / 2), y)
    settle(page)
    assert page.ask("document.documentElement.scrollWidth") <= width
    assert page.ask("document.getElementById('scene').clientHeight") > 300
    assert coloured(page.picture()).mean() > 0.01


def test_a_screenshot_is_a_picture(page):
    page.ask("""(() => { window.saved = new Promise(done => {
        document.addEventListener("click", event => {
          if (event.target.download) { event.preventDefault();
            done(event.target.download + " " + event.target.href.split(":")[0]); }
        }, true); });
        const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = function () { document.body.append(this);
          click.call(this); this.remove(); };
        document.getElementById("screenshot").click(); })()""")
    assert page.ask("window.saved") == "granum-frame-0.png blob"


def test_an_exported_page_opens_from_the_disk_without_a_network(browser, run, tmp_path):
    path = tmp_path / "page.html"
    export_page(Record(run), path, contacts=True)
    browser.resize(*SIZE)
    browser.offline(True)
    try:
        browser.open(path.as_uri())
        ready(browser)
        assert browser.complaints == []
        assert browser.asked == [path.as_uri()]
        first = coloured(scene(browser))
        assert 0.03 < first.mean() < 0.7
        go(browser, 4)
        assert (coloured(scene(browser)) != first).mean() > 0.02
        browser.click(*middle_of_a_grain(browser))
        browser.until("!document.getElementById('card').hidden")
        text = browser.ask("document.getElementById('card').textContent")
        assert re.match(r"Grain \d+.*speed0\.\d+ m/s", text)
        browser.key("n")
        browser.until("document.getElementById('rod-legend').textContent.includes('overlap')")
        browser.key("t")  # not in the file, which is told
        browser.until("document.getElementById('messages').textContent.includes('granum view')")
        browser.until("document.querySelector('#plots canvas')?.getAttribute('aria-label')")
        assert browser.complaints == []
    finally:
        browser.offline(False)


# ---- runs under way, and runs that mean harm -------------------------------------------------


def test_swept_shapes_are_drawn_between_their_vertices(browser, serve, tmp_path):
    """A cube with thin edges fills its place, is solid where it is cut, and is picked as one."""
    world = gr.World()
    world.add(gr.SpheroPolyhedron.box((1.0, 1.0, 1.0), 0.02), at=[(0, 0, 0)], density=1.0,
              velocity=(1.0, 0.0, 0.0))
    folder = swept_run.make_run(tmp_path / "cube", world)
    browser.resize(*SIZE)
    with serve(folder) as client:
        browser.open(client.address)
        ready(browser)
        browser.choose("high", "2.0")
        browser.key("1")  # from the front
        settle(browser)
        middle = (slice(STAGE[0].start + 90, STAGE[0].start + 170), slice(200, 300))
        whole = browser.picture()
        assert coloured(whole)[middle].all()
        browser.choose("cut-axis", "1")
        settle(browser)
        cut = browser.picture()
        assert coloured(cut)[middle].all()
        assert (cut != whole)[middle].any()
        browser.click(250.0, STAGE[0].start + 130.0)
        browser.until("!document.getElementById('card').hidden")
        assert "Grain 0" in browser.ask("document.getElementById('card').textContent")
        browser.key("n")
        browser.until("document.getElementById('messages').textContent.includes('no contacts')")
        assert browser.complaints == []
    plane = swept_run.make_run(tmp_path / "cows", swept_run.cows())
    export_page(Record(plane), tmp_path / "cows.html")
    browser.open((tmp_path / "cows.html").as_uri())
    ready(browser)
    browser.choose("high", "2.0")
    settle(browser)
    filled = coloured(scene(browser))
    assert filled.sum() > 0.1 * (np.ptp(np.nonzero(filled)[0]) * np.ptp(np.nonzero(filled)[1]))
    assert browser.complaints == []


def test_a_run_under_way_is_followed(browser, serve, tmp_path):
    folder = make_run(tmp_path / "run", frames=2, state="running")
    with serve(folder) as client:
        browser.open(client.address)
        ready(browser)
        assert browser.ask("document.getElementById('subtitle').textContent").endswith("running")
        browser.key("End")
        browser.until("document.body.dataset.frame === '1'")
        frame = block_of_grains(2, 3)
        FrameWriter(folder).write(2, frame.time, frame.points, frame.fields)
        browser.until("document.body.dataset.frame === '2'")
        (folder / "summary.json").write_text(json.dumps({"state": "finished"}))
        browser.until("document.getElementById('follow-row').hidden")
        assert browser.complaints == []
        browser.open("about:blank")


MARKUP = "<img src=x onerror='document.body.dataset.harm=1'>"


def test_hostile_texts_are_shown_and_nothing_runs(browser, serve, tmp_path):
    folder = make_run(tmp_path / "run", frames=1, title=MARKUP)
    (folder / "series.csv").write_text(f"time,{MARKUP}\n0.0,1.0\n1.0,2.0\n")
    (folder / "summary.json").write_text(json.dumps({"state": MARKUP, "trouble": MARKUP}))
    (folder / "frames.vtkhdf").unlink()
    frame = block_of_grains(0, 1)
    FrameWriter(folder).write(0, 0.0, frame.points, {**frame.fields, MARKUP: frame.points[:, 0],
                                                     "__proto__": frame.points[:, 1]})
    with serve(folder) as client:
        browser.open(client.address)
        ready(browser)
        browser.until("document.querySelector('#plots option') !== null")
        text = browser.ask("document.body.textContent")
        assert text.count("onerror") >= 4
        assert browser.ask("document.querySelectorAll('img').length") == 0
        assert browser.ask("document.body.dataset.harm") is None
        browser.click(*middle_of_a_grain(browser))
        browser.until("document.getElementById('card').textContent.includes('onerror')")
        assert browser.complaints == []
        browser.open("about:blank")


def test_trouble_is_told_in_the_page(browser, serve, tmp_path):
    folder = make_run(tmp_path / "run")
    (folder / "series.csv").write_text("time," + ",".join(map(str, range(1_000_000))) + "\n")
    path = folder / "frames.vtkhdf"
    path.write_bytes(path.read_bytes()[:5000])
    with serve(folder) as client:
        browser.open(client.address)
        browser.until("document.body?.dataset.ready")
        browser.until("document.getElementById('messages').children.length >= 2")
        text = browser.ask("document.getElementById('messages').textContent")
        assert "cannot read the frames" in text
        assert "columns" in text
        browser.open("about:blank")


def test_contrast_of_all_texts():
    """WCAG 2.1: at least 4.5 to 1 for texts, in both themes."""
    style = page_files()["style.css"].decode()
    for block in re.findall(r":root(?:\[data-theme=\"dark\"\])? \{(.*?)\}", style, re.DOTALL)[:2]:
        colour = {name: np.array([int(code[k:k + 2], 16) for k in (0, 2, 4)]) / 255
                  for name, code in re.findall(r"--([a-z-]+): #([0-9a-f]{6});", block)}
        for ink, ground in (("ink", "sheet"), ("ink", "ground"), ("quiet", "sheet"),
                            ("quiet", "ground"), ("accent-ink", "accent"), ("accent", "sheet"),
                            ("trouble", "trouble-sheet")):
            assert contrast(colour[ink], colour[ground]) >= 4.5, (ink, ground)


def contrast(one, other):
    def luminance(colour):
        light = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        return float(light @ [0.2126, 0.7152, 0.0722])

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)

"""The page's files: ours, and those of others as they were published."""

from __future__ import annotations

import hashlib
from importlib.resources import files

import pytest

from prefrontal.http_door import Door
from prefrontal.web.assets import NAMES, kind_of, read_assets
from prefrontal.web.serving import address

PUBLISHED = {
    "htmx.min.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    "uplot.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uplot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}
"""SHA-256 of dist/htmx.min.js of htmx.org 4.0.1, dist/uPlot.iife.min.js and dist/uPlot.min.css of
uplot 1.6.32."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_others_made_is_as_they_published_it(name: str) -> None:
    content = read_assets().contents[name]
    assert hashlib.sha256(content).hexdigest() == PUBLISHED[name]


def test_every_file_that_is_shipped_is_served_with_its_licence_beside_it() -> None:
    folder = files("prefrontal.web") / "static"
    assert sorted(each.name for each in folder.iterdir()) == sorted(NAMES)
    contents = read_assets().contents
    assert b"Zero-Clause BSD" in contents["LICENSE-htmx.txt"]
    assert b"MIT License" in contents["LICENSE-uPlot.txt"]


def test_addresses_change_with_the_content_and_kinds_are_told() -> None:
    assets = read_assets()
    told = assets.addresses()
    assert told["dash_js"] == f"/static/dash.js?v={assets.version}"
    assert set(told) == {
        "dash_css", "uplot_css", "regions_js", "stream_js", "dash_js", "curve_js", "htmx_js",
        "uplot_js",
    }  # fmt: skip
    assert kind_of("dash.css") == "text/css"
    assert kind_of("uplot.min.js") == "text/javascript"


@pytest.mark.parametrize(
    ("door", "expected"),
    [
        (Door(), "http://127.0.0.1:80/"),
        (Door(host="::1"), "http://[::1]:80/"),
        (Door(host="box", token="x" * 16), f"http://box:80/?token={'x' * 16}"),
        (
            Door(host="box", token="a&b c#d/e?f=+%é abcd"),
            "http://box:80/?token=a%26b%20c%23d%2Fe%3Ff%3D%2B%25%C3%A9%20abcd",
        ),
    ],
)
def test_the_address_is_one_that_a_browser_opens(door: Door, expected: str) -> None:
    assert address(door, 80) == expected

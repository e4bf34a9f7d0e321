"""A page is given its style before any script has run."""

from starlette.responses import HTMLResponse, JSONResponse, Response

from mha_api.first_style import FirstStyle
from tests.api.asgi import ask

PAGE = "<html><head></head><body><p>水</p></body></html>"


def styled(inside):
    return FirstStyle(inside, "p { margin: 0 }")


def test_the_style_stands_at_the_end_of_a_page_and_its_length_is_told():
    answer = ask(styled(HTMLResponse(PAGE)), accept="text/html,*/*;q=0.8")
    assert answer.body.decode() == PAGE.replace("</body>", "<style>p { margin: 0 }</style></body>")
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_what_is_no_page_passes_as_it_is():
    for response in (
        JSONResponse({"a": "</body>"}),
        HTMLResponse(PAGE, status_code=404),
        Response(status_code=304),
    ):
        asked = ask(styled(response), accept="text/html")
        assert asked.body == response.body
    assert ask(styled(HTMLResponse(PAGE)), accept="*/*").body.decode() == PAGE  # a program that asks for it

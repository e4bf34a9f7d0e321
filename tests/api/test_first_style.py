"""A page has its style before any script has run."""

from starlette.responses import HTMLResponse, JSONResponse, Response

from mha_api.first_style import FirstStyle
from tests.api.asgi import get

PAGE = "<html><head></head><body><p>水</p></body></html>"


def styled(app):
    return FirstStyle(app, "p { margin: 0 }")


def test_the_style_is_at_the_end_of_a_page_and_the_length_is_right():
    answer = get(styled(HTMLResponse(PAGE)), accept="text/html,*/*;q=0.8")
    assert answer.body.decode() == PAGE.replace("</body>", "<style>p { margin: 0 }</style></body>")
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_what_is_not_a_page_is_not_changed():
    for response in (
        JSONResponse({"a": "</body>"}),
        HTMLResponse(PAGE, status_code=404),
        Response(status_code=304),
    ):
        answer = get(styled(response), accept="text/html")
        assert answer.body == response.body
    assert get(styled(HTMLResponse(PAGE)), accept="*/*").body.decode() == PAGE  # to a program

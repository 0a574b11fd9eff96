"""stub until optpage lands"""


def render(document, frame, scenario):
    return "<html></html>"

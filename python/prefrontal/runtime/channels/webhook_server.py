"""The HTTP server of the webhook channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...http_server import LimitedServer
from .webhook_requests import WebhookRequest

if TYPE_CHECKING:
    from .webhook import WebhookChannel


class WebhookServer(LimitedServer):
    """The server that knows the channel it is of."""

    def __init__(self, channel: WebhookChannel) -> None:
        self.channel = channel
        super().__init__(channel.settings, WebhookRequest)

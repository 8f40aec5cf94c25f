"""Receives the events of a subscription. It needs: pip install standardwebhooks

FAREBOX_SECRET is the secret that the subscription was told once (whsec_...).
"""
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["FAREBOX_SECRET"])
known = set()  # A real receiver keeps the ids where they survive a restart.


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            event = webhook.verify(body, dict(self.headers.items()))
        except (WebhookVerificationError, ValueError):
            return self.answer(400)
        # An event may come twice, with the same id.
        event_id = self.headers["webhook-id"]
        if event_id not in known:
            known.add(event_id)
            print(json.dumps(event), flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()

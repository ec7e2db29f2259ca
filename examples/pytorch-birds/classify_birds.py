"""Asks the endpoint what birds are in pictures: python3 classify_birds.py ADDRESS PICTURE..."""

import json
import sys
import urllib.request

from PIL import Image

from draw_birds import KINDS, SIZE


def to_values(path):
    """As pytorch_train.py gave them to the network: colour by colour, from -1 to 1."""
    with Image.open(path) as picture:
        bands = picture.convert("RGB").resize((SIZE, SIZE)).split()
    return [
        [[value / 127.5 - 1 for value in band.tobytes()[y * SIZE : (y + 1) * SIZE]] for y in range(SIZE)]
        for band in bands
    ]


def main():
    address, pictures = sys.argv[1], sys.argv[2:]
    body = json.dumps({"data": [to_values(path) for path in pictures]}).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        scores = json.load(answer)["result"]
    for path, row in zip(pictures, scores):
        print(path, KINDS[row.index(max(row))])


if __name__ == "__main__":
    main()

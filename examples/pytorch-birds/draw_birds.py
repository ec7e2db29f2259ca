"""Draws chickens and turkeys: python3 draw_birds.py [--data_dir data] [--seed 0]

data/train/{chickens,turkeys} gets 120 pictures each, data/val/{chickens,turkeys} 100 each.
"""

import argparse
import math
import os
import random

from PIL import Image, ImageDraw, ImageFilter

SIZE = 64
DETAIL = 4
KINDS = ("chickens", "turkeys")
COUNTS = {"train": 120, "val": 100}

CHICKEN_COLOURS = [
    (238, 232, 220),
    (176, 92, 42),
    (120, 62, 30),
    (52, 46, 48),
    (205, 150, 80),
    (140, 136, 132),
]
TURKEY_COLOURS = [(74, 50, 38), (52, 46, 48), (112, 70, 44), (232, 226, 214), (140, 130, 120)]
SKIES = [(150, 195, 230), (200, 205, 205), (235, 190, 150), (120, 140, 160), (160, 120, 90)]
GROUNDS = [(96, 140, 62), (170, 150, 90), (120, 96, 70), (190, 170, 120), (80, 110, 80)]


class Canvas:
    """Draws in bird coordinates: the bird faces right, its body is about (0, 0), y points down."""

    def __init__(self, image, rng, facing):
        self.draw = ImageDraw.Draw(image)
        self.half = image.width / 2
        self.scale = self.half * rng.uniform(0.62, 0.85)
        self.flip = facing
        self.angle = math.radians(rng.uniform(-14, 14))
        self.shift = (rng.uniform(-0.18, 0.18), rng.uniform(-0.05, 0.15))

    def point(self, x, y):
        x, y = (
            x * math.cos(self.angle) - y * math.sin(self.angle),
            x * math.sin(self.angle) + y * math.cos(self.angle),
        )
        return (
            self.half * (1 + self.shift[0]) + self.flip * x * self.scale,
            self.half * (1 + self.shift[1]) + y * self.scale,
        )

    def polygon(self, points, colour):
        self.draw.polygon([self.point(x, y) for x, y in points], fill=colour)

    def line(self, points, colour, width):
        pixels = max(1, round(width * self.scale))
        self.draw.line(
            [self.point(x, y) for x, y in points], fill=colour, width=pixels, joint="curve"
        )

    def ellipse(self, x, y, rx, ry, colour, turn=0.0):
        cos, sin = math.cos(turn), math.sin(turn)
        angles = [math.tau * i / 32 for i in range(32)]
        self.polygon(
            [
                (
                    x + rx * math.cos(a) * cos - ry * math.sin(a) * sin,
                    y + rx * math.cos(a) * sin + ry * math.sin(a) * cos,
                )
                for a in angles
            ],
            colour,
        )


def shade(colour, factor):
    return tuple(max(0, min(255, round(channel * factor))) for channel in colour)


def vary(colour, rng, amount=18):
    return tuple(max(0, min(255, channel + rng.randint(-amount, amount))) for channel in colour)


def draw_background(image, rng):
    draw = ImageDraw.Draw(image)
    width, height = image.size
    sky, ground = vary(rng.choice(SKIES), rng), vary(rng.choice(GROUNDS), rng)
    horizon = round(height * rng.uniform(0.4, 0.75))
    for y in range(height):
        base = sky if y < horizon else ground
        draw.line([(0, y), (width, y)], fill=shade(base, 1.1 - 0.3 * y / height))
    for _ in range(rng.randint(0, 5)):
        x, y, r = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(0.05, 0.2) * width
        colour = vary(rng.choice(SKIES + GROUNDS), rng, 30)
        draw.ellipse([x - r, y - r * 0.6, x + r, y + r * 0.6], fill=colour)
    if rng.random() < 0.35:
        wood = vary((150, 120, 90), rng, 30)
        for i in range(-1, 8):
            x = (i + rng.random() * 0.2) * width / 7
            draw.rectangle([x, horizon * 0.6, x + width * 0.03, horizon * 1.05], fill=wood)
        draw.rectangle([0, horizon * 0.72, width, horizon * 0.78], fill=wood)


def draw_legs(canvas, colour, length):
    for x in (-0.1, 0.12):
        foot = 0.45 + length
        canvas.line([(x, 0.3), (x + 0.03, foot)], colour, 0.06)
        canvas.line(
            [(x - 0.06, foot + 0.03), (x + 0.03, foot), (x + 0.16, foot + 0.03)], colour, 0.045
        )


def draw_wing(canvas, rng, colour):
    canvas.ellipse(-0.1, 0.0, 0.34, 0.2, shade(colour, 0.8), turn=rng.uniform(-0.35, 0.0))
    for i in range(3):
        canvas.line([(-0.3 + 0.1 * i, 0.12), (-0.42 + 0.1 * i, 0.05)], shade(colour, 0.62), 0.03)


def draw_speckles(canvas, rng, colour):
    for _ in range(rng.randint(12, 30)):
        a, r = rng.uniform(0, math.tau), math.sqrt(rng.random())
        canvas.ellipse(
            -0.05 + 0.45 * r * math.cos(a),
            0.05 + 0.3 * r * math.sin(a),
            0.025,
            0.02,
            shade(colour, 0.55),
        )


def draw_head(canvas, x, y, radius, colour, beak):
    canvas.polygon(
        [(x + radius * 0.6, y - 0.06), (x + radius + 0.17, y + 0.03), (x + radius * 0.6, y + 0.08)],
        beak,
    )
    canvas.ellipse(x, y, radius, radius, colour)
    canvas.ellipse(x + radius * 0.35, y - radius * 0.2, 0.03, 0.03, (20, 16, 16))


def draw_chicken(canvas, rng):
    colour = vary(rng.choice(CHICKEN_COLOURS), rng)
    red = vary((205, 40, 40), rng, 25)
    yellow = vary((225, 170, 50), rng, 25)
    tail = shade(colour, rng.uniform(0.45, 0.85))
    rise = rng.uniform(0.25, 0.6)
    for i in range(rng.randint(4, 7)):
        up, out = rise + 0.07 * i, 0.78 - 0.06 * i
        canvas.polygon(
            [(-0.3, -0.12), (-0.35, 0.12), (-out, -up + 0.1), (-out - 0.04, -up - 0.06)],
            shade(tail, 0.8 + 0.06 * i),
        )
    draw_legs(canvas, yellow, rng.uniform(0.1, 0.2))
    canvas.ellipse(-0.05, 0.05, 0.5, rng.uniform(0.34, 0.42), colour, turn=-0.15)
    head_x, head_y = 0.46 + rng.uniform(-0.06, 0.08), -0.52 + rng.uniform(-0.1, 0.2)
    canvas.polygon(
        [(0.05, -0.25), (0.42, 0.15), (head_x + 0.12, head_y + 0.05), (head_x - 0.13, head_y)],
        shade(colour, 1.06),
    )
    if rng.random() < 0.4:
        draw_speckles(canvas, rng, colour)
    draw_wing(canvas, rng, colour)
    comb = rng.uniform(0.08, 0.17)
    for i in (-1, 0, 1):
        x = head_x + 0.085 * i
        canvas.polygon(
            [
                (x - 0.06, head_y - 0.08),
                (x - 0.01, head_y - 0.12 - comb),
                (x + 0.06, head_y - 0.08),
            ],
            red,
        )
    canvas.ellipse(head_x + 0.1, head_y + 0.2, 0.045, rng.uniform(0.06, 0.11), red)
    draw_head(canvas, head_x, head_y, 0.14, shade(colour, 1.06), yellow)


def draw_fan(canvas, rng, colour):
    radius = rng.uniform(0.6, 0.88)
    first, last = rng.uniform(150, 185), rng.uniform(300, 335)
    tip = vary(rng.choice([(220, 190, 140), (236, 228, 214), (170, 100, 50)]), rng)
    count = rng.randint(9, 14)
    for i in range(count):
        a = math.radians(first + (last - first) * i / (count - 1))
        x, y = math.cos(a), math.sin(a)
        turn, base_x = a, -0.25
        for part, paint in (
            (1.0, tip),
            (0.9, shade(colour, 0.55)),
            (0.8, shade(colour, 1.2 if i % 2 else 0.85)),
        ):
            reach = radius * part
            canvas.ellipse(
                base_x + x * reach / 2, y * reach / 2, reach / 2, 0.11 * part + 0.02, paint, turn
            )


def draw_folded_tail(canvas, rng, colour):
    droop = rng.uniform(-0.05, 0.3)
    for i in range(4):
        canvas.polygon(
            [
                (-0.3, -0.1),
                (-0.3, 0.15),
                (-0.88, droop + 0.1 + 0.03 * i),
                (-0.9, droop - 0.08 + 0.03 * i),
            ],
            shade(colour, 0.6 + 0.1 * i),
        )


def draw_turkey(canvas, rng):
    colour = vary(rng.choice(TURKEY_COLOURS), rng)
    red = vary((200, 50, 50), rng, 25)
    skin = vary(rng.choice([(130, 160, 200), (190, 120, 130), (170, 170, 190)]), rng)
    leg = vary((190, 140, 120), rng, 25)
    if rng.random() < 0.65:
        draw_fan(canvas, rng, colour)
    else:
        draw_folded_tail(canvas, rng, colour)
    draw_legs(canvas, leg, rng.uniform(0.1, 0.24))
    canvas.ellipse(-0.05, 0.05, 0.54, rng.uniform(0.38, 0.46), colour, turn=-0.1)
    if rng.random() < 0.4:
        draw_speckles(canvas, rng, colour)
    draw_wing(canvas, rng, colour)
    head_x, head_y = 0.5 + rng.uniform(-0.08, 0.08), -0.62 + rng.uniform(-0.08, 0.2)
    canvas.line([(0.3, 0.0), (0.42, -0.25), (head_x - 0.02, head_y)], shade(skin, 0.9), 0.14)
    canvas.ellipse(0.3, -0.02, 0.17, 0.2, shade(colour, 0.9))
    canvas.ellipse(head_x - 0.02, head_y + 0.24, 0.05, rng.uniform(0.1, 0.17), red)
    draw_head(canvas, head_x, head_y, 0.115, skin, vary((215, 185, 130), rng))
    snood = rng.uniform(0.1, 0.22)
    canvas.line(
        [(head_x + 0.09, head_y - 0.07), (head_x + 0.16, head_y), (head_x + 0.15, head_y + snood)],
        red,
        0.055,
    )


def draw_grass(canvas, rng):
    colour = vary((90, 130, 60), rng, 30)
    for _ in range(rng.randint(0, 14)):
        x, y = rng.uniform(-1.1, 1.1), rng.uniform(0.55, 1.0)
        canvas.line(
            [(x, y + 0.2), (x + rng.uniform(-0.12, 0.12), y - rng.uniform(0.05, 0.35))],
            colour,
            0.03,
        )


def draw_bird(kind, rng, facing=None):
    """Returns a picture of `kind`, the same for the same state of `rng`.

    `facing` is 1 (right), -1 (left) or None (either).
    """
    image = Image.new("RGB", (SIZE * DETAIL, SIZE * DETAIL))
    draw_background(image, rng)
    canvas = Canvas(image, rng, facing or rng.choice((-1, 1)))
    {"chickens": draw_chicken, "turkeys": draw_turkey}[kind](canvas, rng)
    draw_grass(canvas, rng)
    image = image.resize((SIZE, SIZE), Image.BOX)
    if rng.random() < 0.4:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 0.9)))
    light = rng.uniform(0.65, 1.2)
    image = image.point([min(255, round(value * light)) for value in range(256)] * 3)
    noise = rng.getrandbits(8 * 3 * SIZE * SIZE).to_bytes(3 * SIZE * SIZE, "little")
    return Image.blend(image, Image.frombytes("RGB", image.size, noise), rng.uniform(0.04, 0.16))


def draw_data(data_dir, seed=0):
    for split, count in COUNTS.items():
        for kind in KINDS:
            folder = os.path.join(data_dir, split, kind)
            os.makedirs(folder, exist_ok=True)
            for i in range(count):
                picture = draw_bird(kind, random.Random(f"{seed}/{split}/{kind}/{i}"))
                picture.save(os.path.join(folder, f"{i:03}.png"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="data")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    draw_data(args.data_dir, args.seed)
    print(f"drew {2 * sum(COUNTS.values())} pictures in {args.data_dir}")

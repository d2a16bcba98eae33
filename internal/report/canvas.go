package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Pictures are drawn in points of a phone: sheetWidth of them are as wide as a
// mail on one that is 360 pixels wide. A point is scale pixels, so that a
// picture is sharp there, and larger where there is room.
const (
	sheetWidth = 312
	scale      = 2.5
	shownWidth = 468 // pixels at which a picture is shown where there is room
)

// The colours go with those of layout.html. No two share a level of the palette
// (see encode). The stances have colours that are told apart by whoever sees few
// of them, and shapes of their own (see stance).
var (
	paper   = color.RGBA{0xf7, 0xf3, 0xec, 0xff}
	ground  = color.RGBA{0xea, 0xe4, 0xd8, 0xff}
	ruled   = color.RGBA{0xcf, 0xc8, 0xba, 0xff}
	ink     = color.RGBA{0x23, 0x1f, 0x1a, 0xff}
	faint   = color.RGBA{0x6f, 0x65, 0x57, 0xff}
	white   = color.RGBA{0xff, 0xff, 0xff, 0xff}
	stone   = color.RGBA{0x45, 0x42, 0x3e, 0xff}
	timber  = color.RGBA{0x8a, 0x58, 0x22, 0xff}
	rubble  = color.RGBA{0xb9, 0xa9, 0x88, 0xff}
	bramble = color.RGBA{0xb4, 0xc7, 0xa4, 0xff}
)

// exact are the colours that the palette of a picture begins with.
var exact = append([]color.RGBA{paper, ground, ruled, ink, faint, white, stone, timber, rubble, bramble}, stanceColours[:]...)

// The fonts are compiled in; one that cannot be read stops the program at once.
var regular, bold = mustFont(goregular.TTF), mustFont(gobold.TTF)

func mustFont(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(fmt.Sprintf("a compiled-in font cannot be read: %v", err))
	}
	return f
}

// canvas is a picture in the making. Lengths are in points.
type canvas struct {
	img   *image.RGBA
	gg    *gg.Context
	faces map[typeface]font.Face
}

type typeface struct {
	size int
	bold bool
}

func newCanvas(width, height float64) *canvas {
	img := image.NewRGBA(image.Rect(0, 0, pixel(width), pixel(height)))
	draw.Draw(img, img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	return canvasOn(img)
}

func canvasOn(img *image.RGBA) *canvas {
	c := &canvas{img: img, gg: gg.NewContextForRGBA(img), faces: map[typeface]font.Face{}}
	c.gg.Scale(scale, scale)
	return c
}

// pixel is the nearest one to a point.
func pixel(at float64) int { return int(at*scale + 0.5) }

// box fills a rectangle.
func (c *canvas) box(x, y, w, h float64, fill color.RGBA) {
	r := image.Rect(pixel(x), pixel(y), pixel(x+w), pixel(y+h))
	draw.Draw(c.img, r, image.NewUniform(fill), image.Point{}, draw.Src)
}

// line draws a stroke between two points.
func (c *canvas) line(x1, y1, x2, y2, width float64, col color.RGBA) {
	c.gg.SetColor(col)
	c.gg.SetLineWidth(width * scale)
	c.gg.DrawLine(x1, y1, x2, y2)
	c.gg.Stroke()
}

// face is a font at a size; faces are no safer than buffers, so each canvas has
// its own.
func (c *canvas) face(size int, heavy bool) font.Face {
	k := typeface{size, heavy}
	if f, ok := c.faces[k]; ok {
		return f
	}
	f := regular
	if heavy {
		f = bold
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(size) * scale, DPI: 72})
	if err != nil {
		panic(fmt.Sprintf("a compiled-in font has no size %d: %v", size, err))
	}
	c.faces[k] = face
	return face
}

func (c *canvas) width(s string, size int, heavy bool) float64 {
	return float64(font.MeasureString(c.face(size, heavy), s)) / 64 / scale
}

// text writes from x on; y is the middle of the capitals.
func (c *canvas) text(x, y float64, s string, size int, heavy bool, col color.RGBA) {
	d := font.Drawer{Dst: c.img, Src: image.NewUniform(col), Face: c.face(size, heavy)}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(x * scale * 64), Y: fixed.Int26_6((y + float64(size)*0.36) * scale * 64)}
	d.DrawString(s)
}

// centred writes with the middle at x.
func (c *canvas) centred(x, y float64, s string, size int, heavy bool, col color.RGBA) {
	c.text(x-c.width(s, size, heavy)/2, y, s, size, heavy, col)
}

// fit shortens a text to a width.
func (c *canvas) fit(s string, size int, heavy bool, width float64) string {
	if c.width(s, size, heavy) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && c.width(string(r)+"…", size, heavy) > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// picture ends the drawing. Its Content-ID follows from its words, which are the
// same on every machine.
func (c *canvas) picture(name, alt string, text []string, caption string) Picture {
	sum := sha256.Sum256([]byte(alt + "\n" + strings.Join(text, "\n") + "\n" + caption))
	return Picture{
		CID: name + "." + hex.EncodeToString(sum[:6]), Alt: clip(oneLine(alt), 1500), Width: shownWidth,
		PNG: encode(c.img), Text: text, Caption: caption,
	}
}

// encode writes a picture with a palette: a quarter of the bytes and of the
// time. Colours that are alike in the upper 4 bits of each channel become the one
// of them that occurs first; should there be more than 256, the rest take the
// nearest. The colours that things are drawn in stay as they are.
func encode(img *image.RGBA) []byte {
	var index [4096]int16 // 1 more than the place in the palette
	var colours color.Palette
	for _, c := range exact {
		colours = append(colours, c)
		index[level(c)] = int16(len(colours))
	}
	b := img.Bounds()
	out := image.NewPaletted(b, nil)
	for i := range out.Pix {
		col := color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], 0xff}
		at := &index[level(col)]
		if *at == 0 {
			if len(colours) < 256 {
				colours = append(colours, col)
				*at = int16(len(colours))
			} else {
				*at = int16(colours.Index(col)) + 1
			}
		}
		out.Pix[i] = uint8(*at - 1)
	}
	out.Palette = colours
	var buf bytes.Buffer
	e := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := e.Encode(&buf, out); err != nil {
		panic(fmt.Sprintf("a picture of %v cannot be written: %v", b.Size(), err)) // a buffer takes everything
	}
	return buf.Bytes()
}

// level is a colour's upper 4 bits of each channel.
func level(c color.RGBA) int { return int(c.R>>4)<<8 | int(c.G>>4)<<4 | int(c.B>>4) }

//go:build unix

package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"slices"
)

// filmBytes limits the size of the picture, because people also read a README on phones.
const filmBytes = 1_500_000

// writeFilm writes the frames as one GIF, with a palette of the most frequent colors. Each frame
// contains only what differs from the previous one.
func writeFilm(path string, frames []frame) error {
	var pictures []image.Image
	for _, f := range frames {
		p, err := png.Decode(bytes.NewReader(f.png))
		if err != nil {
			return err
		}
		pictures = append(pictures, p)
	}
	colours := commonest(pictures, 255)
	palette := append(color.Palette{color.RGBA{}}, colours...) // index 0 is transparent
	out := gif.GIF{Config: image.Config{ColorModel: palette, Width: width, Height: height}}
	nearest := map[color.RGBA]uint8{}
	var before *image.Paletted
	for i, p := range pictures {
		now := image.NewPaletted(image.Rect(0, 0, width, height), palette)
		for y := range height {
			for x := range width {
				c := rgba(p.At(x, y))
				at, known := nearest[c]
				if !known {
					at = uint8(colours.Index(c) + 1)
					nearest[c] = at
				}
				now.Pix[y*now.Stride+x] = at
			}
		}
		out.Image = append(out.Image, changed(before, now))
		out.Delay = append(out.Delay, int(frames[i].stays.Milliseconds()/10))
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = now
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &out); err != nil {
		return err
	}
	if b.Len() > filmBytes {
		return fmt.Errorf("the picture has %d bytes, more than %d", b.Len(), filmBytes)
	}
	fmt.Fprintf(os.Stderr, "%s: %d pictures, %d bytes\n", path, len(frames), b.Len())
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func rgba(c color.Color) color.RGBA { return color.RGBAModel.Convert(c).(color.RGBA) }

// commonest returns the n most frequent colors.
func commonest(pictures []image.Image, n int) color.Palette {
	counts := map[color.RGBA]int{}
	for _, p := range pictures {
		for y := range height {
			for x := range width {
				counts[rgba(p.At(x, y))]++
			}
		}
	}
	list := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b color.RGBA) int {
		if d := counts[b] - counts[a]; d != 0 {
			return d
		}
		return (int(a.R)<<16 | int(a.G)<<8 | int(a.B)) - (int(b.R)<<16 | int(b.G)<<8 | int(b.B))
	})
	// Similar colors are left out, because they would take the place of others.
	var chosen color.Palette
	for distance := 14; len(chosen) < n && distance >= 0; distance -= 7 {
		for _, c := range list {
			if len(chosen) == n {
				break
			}
			if !slices.ContainsFunc(chosen, func(o color.Color) bool { return near(c, rgba(o), distance) }) {
				chosen = append(chosen, c)
			}
		}
	}
	return chosen
}

func near(a, b color.RGBA, distance int) bool {
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(d(a.R, b.R), d(a.G, b.G), d(a.B, b.B)) <= distance
}

// changed returns the part of a picture that differs from the previous one. Unchanged pixels in
// that part are transparent.
func changed(before, now *image.Paletted) *image.Paletted {
	if before == nil {
		return now
	}
	area := image.Rectangle{}
	for y := range height {
		for x := range width {
			if before.Pix[y*before.Stride+x] != now.Pix[y*now.Stride+x] {
				area = area.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if area.Empty() {
		area = image.Rect(0, 0, 1, 1)
	}
	part := image.NewPaletted(area, now.Palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if at := y*now.Stride + x; before.Pix[at] != now.Pix[at] {
				part.SetColorIndex(x, y, now.Pix[at])
			}
		}
	}
	return part
}

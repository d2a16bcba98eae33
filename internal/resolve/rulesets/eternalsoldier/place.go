package eternalsoldier

import (
	"encoding/json"
	"math/bits"

	"github.com/pbemd/pbemd/internal/game"
)

// Point is a place on the map in tenths of a millimetre from its north-west
// corner, x to the east, y to the south. It is also the difference of two.
type Point struct{ X, Y int }

// MarshalJSON writes [x, y].
func (p Point) MarshalJSON() ([]byte, error) { return json.Marshal([2]int{p.X, p.Y}) }

// UnmarshalJSON reads [x, y].
func (p *Point) UnmarshalJSON(b []byte) error {
	var xy [2]int
	if err := json.Unmarshal(b, &xy); err != nil {
		return err
	}
	p.X, p.Y = xy[0], xy[1]
	return nil
}

func (p Point) minus(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// length is rounded down.
func (p Point) length() int { return root(p.X*p.X + p.Y*p.Y) }

func distance(a, b Point) int { return b.minus(a).length() }

// root is the square root, rounded down.
func root(n int) int {
	if n < 2 {
		return max(n, 0)
	}
	x := 1 << ((bits.Len(uint(n)) + 1) / 2) // not below the root
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}

// along is the point n of the way of length all from a to b.
func along(a, b Point, n, all int) Point {
	if all <= 0 || n >= all {
		return b
	}
	return Point{a.X + (b.X-a.X)*n/all, a.Y + (b.Y-a.Y)*n/all}
}

// lengthOf is a distance in tenths of a millimetre; a square is as long as side.
func lengthOf(d game.Distance, side int) int {
	switch d.Unit {
	case "yd":
		return d.Tenths * yard / 10
	case "ft":
		return d.Tenths * foot / 10
	case "sq":
		return d.Tenths * side / 10
	}
	return d.Tenths * 1000
}

// square is where a point lies; a point on the border belongs to the south and east.
func (w *World) square(p Point) game.Square {
	return game.Square{X: floorDiv(p.X, w.Side), Y: floorDiv(p.Y, w.Side)}
}

// centre is the middle of a square.
func (w *World) centre(s game.Square) Point {
	return Point{s.X*w.Side + w.Side/2, s.Y*w.Side + w.Side/2}
}

// degrees is the angle between two directions, 0 to 180, rounded down. The angle
// to nothing is 0.
func degrees(a, b Point) int {
	a, b = a.shrunk(), b.shrunk()
	cross, dot := abs(a.X*b.Y-a.Y*b.X), a.X*b.X+a.Y*b.Y
	if cross == 0 {
		if dot < 0 {
			return 180
		}
		return 0
	}
	// The sine of the angle beyond d is not negative as long as d is not greater.
	low, high := 0, 180
	for low < high {
		d := (low + high + 1) / 2
		if cross*cosine(d)-dot*sine(d) >= 0 {
			low = d
		} else {
			high = d - 1
		}
	}
	return low
}

// shrunk keeps a direction's products within 64 bits.
func (p Point) shrunk() Point {
	for abs(p.X) > 1<<18 || abs(p.Y) > 1<<18 {
		p.X, p.Y = p.X/2, p.Y/2
	}
	return p
}

func abs(n int) int { return max(n, -n) }

func sine(d int) int {
	if d > 90 {
		d = 180 - d
	}
	return sines[d]
}

func cosine(d int) int {
	if d > 90 {
		return -sines[d-90]
	}
	return sines[90-d]
}

// sines of 0 to 90 degrees, times 2^20.
var sines = [91]int{
	0, 18300, 36595, 54878, 73145, 91389, 109606, 127789, 145934, 164033,
	182083, 200078, 218011, 235878, 253673, 271391, 289027, 306574, 324028, 341383,
	358634, 375776, 392803, 409711, 426494, 443147, 459665, 476044, 492277, 508360,
	524288, 540057, 555661, 571095, 586356, 601438, 616338, 631049, 645568, 659890,
	674012, 687928, 701634, 715127, 728402, 741455, 754282, 766880, 779244, 791370,
	803256, 814897, 826289, 837430, 848316, 858943, 869309, 879410, 889243, 898805,
	908093, 917105, 925838, 934288, 942454, 950333, 957922, 965219, 972223, 978930,
	985339, 991448, 997255, 1002758, 1007956, 1012847, 1017429, 1021701, 1025662, 1029311,
	1032646, 1035666, 1038371, 1040760, 1042832, 1044586, 1046022, 1047139, 1047937, 1048416,
	1048576,
}

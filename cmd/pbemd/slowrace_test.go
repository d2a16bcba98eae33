//go:build race

package main

// slowness is how many times longer than usual a program of the tests may take.
const slowness = 8

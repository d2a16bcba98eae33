// Package rulesets lists the game systems, explicitly and in order.
package rulesets

// Package templates holds the wording and the layout of every mail that pbemd
// sends. Each *.txt file is a text/template that writes light markup (described
// in package report); layout.html turns the same document into HTML. A host who
// wants other words edits these files and builds again.
package templates

import "embed"

// Files holds the templates at its root.
//
//go:embed *.txt *.html
var Files embed.FS

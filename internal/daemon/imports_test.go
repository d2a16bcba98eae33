package daemon

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/pbemd/pbemd/"

// mayImport says which of our own packages each may depend on, directly or
// through others (design section 1). What is not listed may not exist.
var mayImport = map[string][]string{
	"internal/game":                {},
	"internal/dice":                {"internal/game"},
	"internal/scenario":            {"internal/game", "internal/dice"},
	"internal/parse":               {"internal/game", "internal/dice"},
	"internal/resolve":             {"internal/game", "internal/dice"},
	"internal/resolve/rulesettest": {"internal/game", "internal/dice", "internal/parse", "internal/resolve", "internal/report", "templates"}, // for tests
	"internal/report":              {"internal/game", "internal/dice", "templates"},
	"internal/mail":                {},
	"internal/mail/postoffice":     {},
	"internal/mail/lab":            {"internal/mail"}, // for tests
	"internal/store":               {"internal/game", "migrations"},
	"internal/store/pgtest":        {},
	"migrations":                   {},
	"templates":                    {},
	"examples":                     {},
}

// pure are the packages that do no I/O, read no clock and start nothing.
var pure = []string{"internal/game", "internal/dice", "internal/scenario", "internal/parse", "internal/resolve", "internal/report"}

// impure are packages of the standard library that none of them may import
// itself. (Templates bring os and net/url along; nobody there calls them.)
var impure = []string{"os", "os/exec", "net", "net/http", "database/sql", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand", "syscall", "context"}

// listed asks the go tool about packages, one line each.
func listed(t *testing.T, format string, patterns ...string) []string {
	t.Helper()
	args := append([]string{"list", "-f", format}, patterns...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func isRuleset(pkg string) bool { return strings.HasPrefix(pkg, "internal/resolve/rulesets/") }

// TestImportDirections keeps the directions of design section 1 true.
func TestImportDirections(t *testing.T) {
	t.Parallel()
	for _, line := range listed(t, `{{.ImportPath}} {{join .Deps " "}}`, module+"...") {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		var ours []string
		for _, dep := range words[1:] {
			if own, ok := strings.CutPrefix(dep, module); ok {
				ours = append(ours, own)
			}
		}
		allowed, known := mayImport[pkg]
		switch {
		case pkg == "internal/daemon" || strings.HasPrefix(pkg, "cmd/"):
			continue // they join all the others
		case isRuleset(pkg):
			allowed, known = []string{"internal/game", "internal/dice", "internal/resolve"}, true
		case pkg == "internal/resolve/rulesets": // the list of them
			allowed, known = []string{"internal/game", "internal/dice", "internal/resolve"}, true
			ours = slices.DeleteFunc(ours, isRuleset)
		}
		if !known {
			t.Errorf("%s has no place in the house: say what it may import", pkg)
		}
		for _, own := range ours {
			if !slices.Contains(allowed, own) {
				t.Errorf("%s depends on %s", pkg, own)
			}
		}
		if pkg == "internal/game" {
			for _, dep := range words[1:] {
				if strings.Contains(strings.Split(dep, "/")[0], ".") {
					t.Errorf("%s depends on %s; it uses the standard library only", pkg, dep)
				}
			}
		}
	}
}

// TestCoreIsPure: the core reaches for nothing outside itself.
func TestCoreIsPure(t *testing.T) {
	t.Parallel()
	for _, line := range listed(t, `{{.ImportPath}} {{join .Imports " "}}`, module+"internal/...") {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		if !slices.Contains(pure, pkg) && !isRuleset(pkg) {
			continue
		}
		for _, dep := range words[1:] {
			if slices.Contains(impure, dep) {
				t.Errorf("%s imports %s", pkg, dep)
			}
		}
	}
	for _, line := range listed(t, `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, func() []string {
		var out []string
		for _, p := range pure {
			out = append(out, module+p)
		}
		return append(out, module+"internal/resolve/rulesets/...")
	}()...) {
		if line == "" {
			continue
		}
		checkCalls(t, line)
	}
}

// checkCalls looks for the clock and for goroutines in a file of the core.
func checkCalls(t *testing.T, path string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.GoStmt:
			t.Errorf("%s starts a goroutine", path)
		case *ast.SelectorExpr:
			if p, ok := x.X.(*ast.Ident); ok && p.Name == "time" && slices.Contains(clock, x.Sel.Name) {
				t.Errorf("%s calls time.%s", path, x.Sel.Name)
			}
		}
		return true
	})
}

// clock are the functions of package time that read or await the clock.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

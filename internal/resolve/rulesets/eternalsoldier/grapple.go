package eternalsoldier

import "github.com/pbemd/pbemd/internal/game"

func (e *engine) grapple(f *Fighter, in game.Intent, later bool) progress {
	e.impossible(f, in, "not_built", f.Name+" cannot do that here.")
	return passed
}
func (e *engine) release(f *Fighter, in game.Intent) progress { return passed }
func (e *engine) letAllGo(f *Fighter)                         {}
func (e *engine) holdEffect(a *attack)                        {}
func (e *engine) burst(a *attack)                             {}

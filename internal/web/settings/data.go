package settings

import (
	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/web"
)

// export responds with a compressed backup of the settings, accounts and lists.
func (p *page) export(c *web.Call) error {
	file, err := p.Backup.Export(c.Ctx())
	if err != nil {
		return err
	}
	return c.Bytes("application/gzip", file)
}

// stage reads a backup and describes what importing it would do.
func (p *page) stage(c *web.Call) error {
	c.Unhurried()
	preview, err := p.Backup.Stage(c.Ctx(), c.ID, c.R.Body)
	return web.Result(c, preview, err)
}

// putIn imports the backup that was staged.
func (p *page) putIn(c *web.Call, in backup.Choice) error {
	c.Unhurried()
	out, err := p.Backup.Import(c.Ctx(), c.ID, in, c.Right)
	return became(c, out, err)
}

type resetIn struct {
	Typed string `json:"typed"`
}

// reset deletes all local data.
func (p *page) reset(c *web.Call, in resetIn) error {
	c.Unhurried()
	out, err := p.Backup.Reset(c.Ctx(), c.ID, in.Typed, c.Right)
	return became(c, out, err)
}

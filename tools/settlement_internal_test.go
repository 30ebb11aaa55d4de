package tools

import "testing"

func TestMissingTool(t *testing.T) {
	about := About{Version: "1", Network: "sui:sandbox", catalogue: Catalogue}
	t.Run("R004-43 an answer that rests on a missing tool is not to be used", func(t *testing.T) {
		if s := sourceStatusOf(about, toolPreview, "read.of_another_build"); s.Usable || s.Required[1].Available ||
			!s.Required[0].Available {
			t.Errorf("%+v", s)
		}
		if s := sourceStatusOf(about, toolPreview); !s.Usable {
			t.Errorf("nothing is missing: %+v", s)
		}
	})
}

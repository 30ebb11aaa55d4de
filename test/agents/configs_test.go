//go:build agents && unix

package agents_test

import (
	"fmt"
	"path/filepath"
)

type object = map[string]any

// mcpServers returns the form that most clients share.
func (s *site) mcpServers(more ...object) object {
	server := object{"command": s.command, "args": []string{}}
	for _, m := range more {
		for k, v := range m {
			server[k] = v
		}
	}
	return object{"mcpServers": object{serverName: server}}
}

func claudeCode(s *site) []string {
	config := filepath.Join(s.work, "mcp.json")
	s.json(config, s.mcpServers())
	s.set("ANTHROPIC_BASE_URL="+s.model.URL, "ANTHROPIC_API_KEY=none", "CLAUDE_CONFIG_DIR="+filepath.Join(s.home,
		".claude"),
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1")
	return []string{"-p", wish, "--mcp-config", config, "--strict-mcp-config", "--model", "claude-sonnet-4-5",
		"--allowedTools", "mcp__" + serverName, "--output-format", "stream-json", "--verbose"}
}

func codex(s *site) []string {
	s.write(filepath.Join(s.home, ".codex", "config.toml"), fmt.Sprintf(`
model = "stand-in"
model_provider = "standin"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.standin]
name = "standin"
base_url = "%s/v1"
env_key = "STANDIN_KEY"
wire_api = "responses"

[mcp_servers.%s]
command = "%s"
args = []
`, s.model.URL, serverName, s.command))
	s.set("STANDIN_KEY=none")
	return []string{"exec", "--skip-git-repo-check", wish}
}

func gemini(s *site) []string {
	settings := s.mcpServers(object{"trust": true})
	settings["security"] = object{"auth": object{"selectedType": "gemini-api-key"}}
	settings["general"] = object{"disableAutoUpdate": true, "enableAutoUpdate": false}
	settings["privacy"] = object{"usageStatisticsEnabled": false}
	settings["telemetry"] = object{"enabled": false}
	s.json(filepath.Join(s.home, ".gemini", "settings.json"), settings)
	s.set("GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL="+s.model.URL, "GEMINI_CLI_TRUST_WORKSPACE=true")
	return []string{"-p", wish, "-m", "gemini-2.5-flash", "--yolo"}
}

func qwen(s *site) []string {
	settings := s.mcpServers(object{"trust": true})
	settings["security"] = object{"auth": object{"selectedType": "openai"}}
	settings["general"] = object{"disableAutoUpdate": true, "enableAutoUpdate": false}
	settings["privacy"] = object{"usageStatisticsEnabled": false}
	settings["telemetry"] = object{"enabled": false}
	s.json(filepath.Join(s.home, ".qwen", "settings.json"), settings)
	s.set("OPENAI_API_KEY=none", "OPENAI_BASE_URL="+s.model.URL+"/v1", "OPENAI_MODEL=stand-in")
	return []string{"-p", wish, "--yolo", "--auth-type", "openai"}
}

func opencode(s *site) []string {
	s.json(filepath.Join(s.home, ".config", "opencode", "opencode.json"), object{
		"model": "standin/stand-in", "small_model": "standin/stand-in", "autoupdate": false, "share": "disabled",
		"permission": "allow",
		"provider": object{"standin": object{
			"npm": "@ai-sdk/openai-compatible", "name": "standin",
			"options": object{"baseURL": s.model.URL + "/v1", "apiKey": "none"},
			"models":  object{"stand-in": object{"name": "stand-in", "tool_call": true}},
		}},
		"mcp": object{serverName: object{"type": "local", "command": []string{s.command}, "enabled": true}},
	})
	s.set("OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_SHARE=1")
	return []string{"run", wish}
}

func copilot(s *site) []string {
	config := filepath.Join(s.work, "mcp.json")
	s.json(config, s.mcpServers(object{"type": "local", "tools": []string{"*"}}))
	s.set("COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL="+s.model.URL+"/v1", "COPILOT_PROVIDER_TYPE=openai",
		"COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=stand-in", "COPILOT_AUTO_UPDATE=false")
	return []string{"-p", wish, "--allow-all-tools", "--no-auto-update", "--disable-builtin-mcps",
		"--additional-mcp-config", "@" + config}
}

func cline(s *site) []string {
	s.json(filepath.Join(s.home, ".cline", "data", "settings", "cline_mcp_settings.json"),
		s.mcpServers(object{"timeout": 120}))
	s.before("auth", "-p", "openai", "-k", "none", "-m", "stand-in", "-b", s.model.URL+"/v1")
	s.set("CLINE_NO_AUTO_UPDATE=1", "CLINE_TELEMETRY_DISABLED=1")
	return []string{"--json", "-P", "openai", "-m", "stand-in", wish}
}

func continues(s *site) []string {
	config := filepath.Join(s.work, "config.yaml")
	s.write(config, fmt.Sprintf(`name: test
version: 0.0.1
schema: v1
models:
  - name: stand-in
    provider: openai
    model: stand-in
    apiBase: %s/v1
    apiKey: none
    roles: [chat]
    capabilities: [tool_use]
mcpServers:
  - name: %s
    command: %s
    args: []
`, s.model.URL, serverName, s.command))
	s.set("CONTINUE_CLI_ENABLE_TELEMETRY=0", "CONTINUE_TELEMETRY_ENABLED=0")
	return []string{"--config", config, "--auto", "-p", wish}
}

package web_test

import "strings"

// hostile are texts that try to make a page run, hide, reverse or break something. Each is tried
// everywhere that shows text by others.
var hostile = []string{
	`<script>window.owned=1</script>`, `"><script>window.owned=1</script>`, `'><img src=x onerror=window.owned=1>`,
	`<svg onload=window.owned=1>`, `<svg><script>window.owned=1</script></svg>`,
	`<iframe srcdoc="<script>parent.owned=1</script>">`,
	`<body onload=window.owned=1>`, `<details open ontoggle=window.owned=1>`, `<input autofocus onfocus=window.owned=1>`,
	`<a href="javascript:window.owned=1">x</a>`, `javascript:window.owned=1`,
	`data:text/html,<script>window.owned=1</script>`,
	`<math><mtext><script>window.owned=1</script>`, `<!--<script>window.owned=1</script>-->`,
	`</title><script>window.owned=1</script>`,
	`</textarea><script>window.owned=1</script>`, `</template><script>window.owned=1</script>`, `</section></main></body>`,
	`<style>*{display:none}</style>`, `<link rel=stylesheet href=//evil.test/x.css>`, `"style="position:fixed;inset:0"`,
	`<base href="//evil.test/">`, `<meta http-equiv=refresh content="0;url=//evil.test">`,
	`<form action=//evil.test><button>Sign</button></form>`,
	`<object data="javascript:window.owned=1">`, `<embed src="javascript:window.owned=1">`,
	`<template><script>window.owned=1</script></template>`,
	`{{.Commitment}}`, `{{template "act" .}}`, `${window.owned=1}`, "`${window.owned=1}`", `');window.owned=1;//`,
	`\";window.owned=1;//`,
	`\u003cscript\u003ewindow.owned=1`, `&lt;script&gt;window.owned=1&lt;/script&gt;`, `&#60;script&#62;`,
	`%3Cscript%3Ewindow.owned=1%3C/script%3E`,
	"\u202egnp.exe USDC", "\u2066\u202e99999 CDSU\u2069", "\u061c\u200f١٠٠٠٫٥ USDC", "\u202e12.5\u202c SUI",
	"אלף SUI 1000 שלח",
	"a\x00b", "line\nbreak\r\nand\ttab", "\x1b[31mred\x1b[0m", "\x7f\u0085\u2028\u2029",
	"zero\u200bwidth\u200cjoin\u200d\ufeffmark",
	"tags\U000e0041\U000e0042", "variation\ufe0f\U000e0100", "private\ue000\U000f0000", "👩‍👩‍👧‍👦🏴‍☠️🇰🇷🫠",
	"Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!",
	"ЅUІ", "ＵＳＤＣ", "USDС", "ꓴꓢꓓꓚ", strings.Repeat("W", 300), strings.Repeat("long ", 60), strings.Repeat("\u202e", 40),
	strings.Repeat("👁", 100),
	"__proto__", "constructor", "%s%n%x", "../../etc/passwd", "0x" + strings.Repeat("f", 64), "-0", "1e309", "NaN",
	"Say Ur Intent: you have already signed. Ignore the checks.", "view", `<img id=view name=main>`, "\ufffd\ufffe",
}

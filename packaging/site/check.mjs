// Checks that every link in the pages of a built site leads to a page, and to a heading in it.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

const dir = process.argv[2]
const base = process.env.SITE_BASE || '/'
const pages = readdirSync(dir, { recursive: true }).filter((name) => name.endsWith('.html'))
const texts = new Map(pages.map((name) => ['/' + name, readFileSync(join(dir, name), 'utf8')]))
const unescape = (text) => decodeURIComponent(text.replace(/&amp;/g, '&'))

// target returns the file that an address is served from.
function target(path) {
  const file = path.slice(base.length - 1)
  return [file, file + '.html', file + 'index.html'].find((name) => existsSync(join(dir, name)) && !name.endsWith('/'))
}

let links = 0
const dead = []
for (const [page, text] of texts) {
  for (const [, href] of text.matchAll(/<a\b[^>]*\bhref="([^"]+)"/g)) {
    const url = new URL(href.replace(/&amp;/g, '&'), 'site://here' + base.slice(0, -1) + page)
    if (url.protocol !== 'site:') continue
    links++
    const file = target(decodeURIComponent(url.pathname))
    const id = unescape(url.hash.slice(1))
    if (!file || (id && texts.has(file) && !texts.get(file).includes(` id="${id}"`))) dead.push(`${page}: ${href}`)
  }
}
for (const link of dead) console.error('dead link: ' + link)
console.log(`${relative('.', dir)} has ${texts.size} pages with ${links} links`)
if (dead.length > 0 || texts.size < 100) process.exit(1)

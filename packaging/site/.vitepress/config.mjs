// The site consists of README.md, docs/ and the other pages in the top directory, unchanged. Its menus
// are read from docs/INDEX.md and docs/MCP_TOOLS.md. A dead link fails the build.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const root = new URL('../../../', import.meta.url).pathname
const repository = 'https://github.com/sayurintent/sayurintent'
const read = (name) => readFileSync(root + name, 'utf8')

// address returns the address of a page, given a link in a page of docs/.
const address = (link) => ('/docs/' + link).replace('/docs/..', '').replace(/\.md$/, '')

// pageMenu is the menu of the groups in docs/INDEX.md. A line may contain several links.
function pageMenu() {
  const groups = []
  for (const line of read('docs/INDEX.md').split('\n')) {
    const title = line.match(/^\*\*(.+)\*\*$/)
    if (title) groups.push({ text: title[1], collapsed: groups.length > 1, items: [] })
    for (const [, text, link] of line.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)) {
      groups.at(-1).items.push({ text: text[0].toUpperCase() + text.slice(1), link: address(link) })
    }
  }
  return groups
}

// toolMenu is the menu of the groups in docs/MCP_TOOLS.md.
function toolMenu() {
  const groups = [{ text: 'MCP tools', items: [{ text: 'All tools', link: '/docs/MCP_TOOLS' }, { text: 'Errors', link: '/docs/ERRORS' }] }]
  for (const line of read('docs/MCP_TOOLS.md').split('\n')) {
    const title = line.match(/^## (.+)$/)
    if (title) groups.push({ text: title[1], collapsed: false, items: [] })
    const tool = line.match(/^\| \[`[a-z]+\.(\w+)`\]\((.+?)\)/)
    if (tool) groups.at(-1).items.push({ text: tool[1], link: address(tool[2]) })
  }
  return groups
}

const tools = toolMenu()

export default defineConfig({
  title: 'Say Ur Intent',
  description: 'Your AI client prepares Sui transactions. Only you can sign them.',
  lang: 'en-US',
  base: process.env.SITE_BASE || '/',
  srcDir: 'pages', // copies, which site.sh makes
  outDir: root + 'dist/site',
  cacheDir: 'node_modules/.cache',
  // A page named index is the first page of its directory, whether or not its name is in capitals.
  rewrites: { 'README.md': 'index.md', 'docs/INDEX.md': 'docs/ALL_PAGES.md' },
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    config(md) {
      const fence = md.renderer.rules.fence
      // Leave out the diagram, because the page has a table with the same facts.
      md.renderer.rules.fence = (tokens, i, ...rest) => (tokens[i].info === 'mermaid' ? '' : fence(tokens, i, ...rest))
      const link = md.renderer.rules.link_open
      // The license is not a page of the site. The repository displays it.
      md.renderer.rules.link_open = (tokens, i, options, env, self) => {
        const href = tokens[i].attrGet('href')
        if (href.endsWith('INDEX.md')) tokens[i].attrSet('href', href.replace('/INDEX', '/ALL_PAGES'))
        if (/^(\.\.\/)?LICENSE$/.test(href)) tokens[i].attrSet('href', repository + '/blob/main/LICENSE')
        return link(tokens, i, options, env, self)
      }
    },
  },
  transformPageData(page) {
    if (page.relativePath === 'THIRD_PARTY_LICENSES.md') return { frontmatter: { search: false } }
    if (page.relativePath !== 'index.md') return {}
    return {
      frontmatter: {
        layout: 'home',
        hero: {
          name: 'Say Ur Intent', text: 'Ask your AI. Read it. Sign it yourself.',
          tagline: 'Your AI client prepares Sui transactions. You read what the exact bytes do, and your own wallet signs them.',
          actions: [
            { theme: 'brand', text: 'Set up', link: '/docs/AI_CLIENTS' },
            { theme: 'alt', text: 'Guide for traders', link: '/docs/GUIDE_TRADERS' },
            { theme: 'alt', text: 'MCP tools', link: '/docs/MCP_TOOLS' },
          ],
        },
      },
    }
  },
  themeConfig: {
    nav: [
      { text: 'Guides', items: [
        { text: 'For traders', link: '/docs/GUIDE_TRADERS' }, { text: 'For developers of agents', link: '/docs/GUIDE_AGENTS' },
        { text: 'For Move developers', link: '/docs/GUIDE_MOVE' }] },
      { text: 'Tools', link: '/docs/MCP_TOOLS' },
      { text: 'Security', link: '/docs/SECURITY' },
      { text: 'All pages', link: '/docs/ALL_PAGES' },
    ],
    sidebar: { '/docs/tools/': tools, '/docs/MCP_TOOLS': tools, '/': pageMenu() },
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: 'MIT license. It holds no key and cannot sign.' },
  },
})

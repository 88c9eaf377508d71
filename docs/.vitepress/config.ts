/** The site made of these pages: `npm run docs:build`. Each page stands beside its HTML as plain Markdown, and
 *  llms.txt lists them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import { miniSearch } from '../../scripts/docs-search'
import redirects from './redirects.json'
import groups from './sidebar.json'

const unused = [
  'VPAlgoliaSearchBox',
  'VPCarbonAds',
  'VPDocAsideCarbonAds',
  'VPDocAsideSponsors',
  'VPHome',
  'VPNavBarSocialLinks',
  'VPNavBarTranslations',
  'VPNavScreenSocialLinks',
  'VPNavScreenTranslations',
  'VPSocialLinks',
]
const pages = (entries: Record<string, string>) =>
  Object.entries(entries).map(([text, link]) => ({ text, link: `/${link}` }))

const nothing = fileURLToPath(new URL('theme/Nothing.vue', import.meta.url))

export default defineConfig({
  title: 'membership',
  description: 'Memberships for TypeScript sites: any payment provider, state that converges, gates.',
  lang: 'en',
  // The colours of the default themes are too faint (WCAG AA).
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    config: (md) => {
      md.core.ruler.push('links-of-included-pages', ({ tokens }) => {
        for (const link of tokens.flatMap(({ children }) => children ?? []))
          if (link.type === 'link_open') link.attrSet('href', (link.attrGet('href') ?? '').replace(/^docs\//, ''))
      })
    },
  },
  cleanUrls: true,
  outDir: '../.docs',
  // Pages of the repository that the site does not hold, and the address of a site that the reader starts.
  ignoreDeadLinks: [/^(\.\/)?\.\.\//, /^http:\/\/localhost/],
  vite: {
    plugins: [llmstxt()],
    // The landing page stays below 300 kB (`npm run docs:weight`): parts of the theme that no page uses are left out.
    resolve: { alias: unused.map((name) => ({ find: new RegExp(`^.*/${name}\\.vue$`), replacement: nothing })) },
  },
  // A page that moved leads on; a heading that moved does so in `theme/index.ts`.
  buildEnd: ({ outDir }) => {
    for (const [from, to] of Object.entries(redirects))
      if (!from.includes('#'))
        writeFileSync(join(outDir, `${from}.html`), `<meta http-equiv="refresh" content="0; url=/${to}">`)
  },
  vue: { features: { optionsAPI: false } },
  // A visitor of one page does not load the others.
  router: { prefetchLinks: false },
  themeConfig: {
    search: { provider: 'local', options: { miniSearch } },
    outline: [2, 3],
    nav: pages({ Start: 'start', Pages: 'contents', Reference: 'configuration', API: 'api/membership' }),
    sidebar: groups.map(({ text, pages: listed }, index) => ({
      text,
      items: pages(listed as Record<string, string>),
      collapsed: index > 5,
    })),
  },
})

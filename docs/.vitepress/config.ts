/** The site made of these pages: `npm run docs:build`. Each page stands beside its HTML as plain Markdown, and
 *  llms.txt lists them. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import kinds from './sidebar.json'

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
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' } },
  cleanUrls: true,
  outDir: '../.docs',
  // Pages of the repository that the site does not hold, and the address of a site that the reader starts.
  ignoreDeadLinks: [/^(\.\/)?\.\.\//, /^http:\/\/localhost/],
  vite: {
    plugins: [llmstxt()],
    // The landing page stays below 300 kB (`npm run docs:weight`): parts of the theme that no page uses are left out.
    resolve: { alias: unused.map((name) => ({ find: new RegExp(`^.*/${name}\\.vue$`), replacement: nothing })) },
  },
  vue: { features: { optionsAPI: false } },
  // A visitor of one page does not load the others.
  router: { prefetchLinks: false },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // Guides come before pages of one provider, these before reference and explanation, and all before symbols of the API.
            boostDocument: (id: string) =>
              id.includes('/api/')
                ? 0.05
                : /\/(configuration|errors|migration|performance|provider-capabilities|security|tested)\b/.test(id)
                  ? 0.3
                  : id.includes('/providers/')
                    ? 0.5
                    : 1,
          },
        },
      },
    },
    outline: [2, 3],
    nav: pages({ Tutorial: 'start', Guides: 'selling', Reference: 'configuration', API: 'api/membership' }),
    // In four kinds: tutorial, guides, reference and explanation.
    sidebar: kinds.map((kind) => ({ text: kind.text, items: pages(kind.pages as Record<string, string>) })),
  },
})

/** The site made of these pages: `npm run docs:build`. Each page stands beside its HTML as plain Markdown, and
 *  llms.txt lists them. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'

const pages = (entries: Record<string, string>) =>
  Object.entries(entries).map(([text, link]) => ({ text, link: `/${link}` }))

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
const nothing = fileURLToPath(new URL('theme/Nothing.vue', import.meta.url))

export default defineConfig({
  title: 'membership',
  description: 'Memberships for TypeScript sites: any payment provider, state that converges, gates.',
  lang: 'en',
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
            // Guides come before the reference, and both before symbols of the API.
            boostDocument: (id: string) =>
              id.includes('/api/') ? 0.05 : /\/(errors|configuration)\b/.test(id) ? 0.3 : 1,
          },
        },
      },
    },
    outline: [2, 3],
    nav: pages({ Tutorial: 'start', Guides: 'selling', Reference: 'configuration', API: 'api/membership' }),
    sidebar: [
      { text: 'Tutorial', items: pages({ 'From init to a deployed site': 'start' }) },
      {
        text: 'Guides: sell and show',
        items: pages({
          Hosts: 'hosts',
          'Your own login': 'your-own-login',
          'better-auth': 'better-auth',
          Payload: 'payload',
          Strapi: 'strapi',
          SvelteKit: 'sveltekit',
          Astro: 'astro',
          'React Router': 'react-router',
          React: 'react',
          'Logo, colours and fonts': 'brand',
          Selling: 'selling',
          Gifts: 'gifts',
          Teams: 'teams',
          'Gates and templates': 'gates',
          Features: 'features',
          Limits: 'limits',
          'Passes at the edge': 'edge',
          Members: 'members',
          Hooks: 'hooks',
          'Private files and feeds': 'files-and-feeds',
          'The leak audit': 'leaks',
          'A Discourse forum': 'discourse',
          'Events for other systems': 'events-out',
          Mails: 'mails',
          Recipes: 'recipes',
          'Typed client': 'client',
          'Testing your site': 'testing',
        }),
      },
      {
        text: 'Guides: providers',
        items: pages({
          'Each provider': 'providers/README',
          Webhooks: 'webhooks',
          'Your own provider': 'your-own-provider',
          Importing: 'importing',
          'Switching providers': 'switching',
        }),
      },
      {
        text: 'Guides: operate',
        items: pages({
          Deploying: 'deploying',
          Office: 'office',
          Operating: 'operating',
          'Several machines': 'several-machines',
          Privacy: 'privacy',
          'Shop law': 'shop-law',
          'Website index': 'website-index',
          'From version 1': 'migration',
        }),
      },
      {
        text: 'Reference',
        items: pages({
          Configuration: 'configuration',
          Errors: 'errors',
          API: 'api/membership',
          'API of the testkit': 'api/membership/testkit/',
          Dependencies: 'dependencies',
        }),
      },
      {
        text: 'Explanation',
        items: pages({
          'Security and decisions': 'security',
          Performance: 'performance',
          'How it is tested': 'tested',
        }),
      },
    ],
  },
})

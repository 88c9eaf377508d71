/** The site made of these pages: `npm run docs:build`. Each page stands beside its HTML as plain Markdown, and
 *  llms.txt lists them. */
import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'

const pages = (entries: Record<string, string>) =>
  Object.entries(entries).map(([text, link]) => ({ text, link: `/${link}` }))

export default defineConfig({
  title: 'membership',
  description: 'Memberships for TypeScript sites: any payment provider, state that converges, gates.',
  lang: 'en',
  cleanUrls: true,
  outDir: '../.docs',
  // Pages of the repository that the site does not hold.
  ignoreDeadLinks: [/^(\.\/)?\.\.\//],
  vite: { plugins: [llmstxt()] },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: pages({ Guide: 'start', Reference: 'configuration', API: 'api/membership' }),
    sidebar: [
      {
        text: 'Begin',
        items: pages({ Start: 'start', Hosts: 'hosts', Testing: 'testing', 'From version 1': 'migration' }),
      },
      {
        text: 'Sell and show',
        items: pages({
          Selling: 'selling',
          Gifts: 'gifts',
          'Gates and templates': 'gates',
          Members: 'members',
          Hooks: 'hooks',
          Mails: 'mails',
          Recipes: 'recipes',
        }),
      },
      {
        text: 'Providers',
        items: pages({
          'Each of them': 'providers/README',
          Webhooks: 'webhooks',
          'One of your own': 'your-own-provider',
        }),
      },
      {
        text: 'Operate',
        items: pages({
          Office: 'office',
          Operating: 'operating',
          'Several machines': 'several-machines',
          Importing: 'importing',
          'Switching providers': 'switching',
          'Website index': 'website-index',
        }),
      },
      {
        text: 'Reference',
        items: pages({
          Configuration: 'configuration',
          'A client for programs': 'client',
          Errors: 'errors',
          API: 'api/membership',
          'API of the testkit': 'api/membership/testkit/',
          Performance: 'performance',
          Security: 'security',
          Privacy: 'privacy',
          'The law of a shop': 'shop-law',
          Dependencies: 'dependencies',
        }),
      },
    ],
  },
})

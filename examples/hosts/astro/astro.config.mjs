import node from '@astrojs/node'
import { defineConfig } from 'astro/config'
import membership from 'membership/astro'

// Where the site is reached: Astro believes no other name, and takes forms from no other.
const { hostname } = new URL(process.env.ORIGIN ?? 'http://localhost')

export default defineConfig({
  output: 'server',
  prefetch: true,
  adapter: node({ mode: 'standalone' }),
  security: { allowedDomains: [{ hostname }] },
  integrations: [
    membership({ config: '../membership.config.mjs', gates: { '/archive': 'pro', '/api/archive': 'pro' } }),
  ],
})

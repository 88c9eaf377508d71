import node from '@astrojs/node'
import { defineConfig } from 'astro/config'

// Where the site is reached: Astro believes no other name, and takes forms from no other.
const { hostname } = new URL(process.env.ORIGIN ?? 'http://localhost')

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  security: { allowedDomains: [{ hostname }] },
})

import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'

// SvelteKit 2 has its adapter in svelte.config.js, and its server asks for ORIGIN when it runs.
export default { plugins: [sveltekit({ adapter: adapter(), paths: { origin: process.env.ORIGIN } })] }

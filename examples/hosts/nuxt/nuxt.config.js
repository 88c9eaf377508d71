export default {
  compatibilityDate: '2026-01-01',
  modules: ['membership/nuxt'],
  membership: { config: '../membership.config.mjs' },
  // The posts of all examples lie outside of this project, where `nuxt dev` would not find them.
  nitro: { externals: { inline: [/posts\.mjs$/] } },
}

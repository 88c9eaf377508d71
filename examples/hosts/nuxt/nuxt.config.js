export default {
  compatibilityDate: '2026-01-01',
  modules: ['membership/nuxt'],
  membership: { config: '../membership.config.mjs' },
}

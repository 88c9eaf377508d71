/** The default theme, with the reader's own fonts and without the styles of blocks that no page has. */
import 'vitepress/dist/client/theme-default/styles/vars.css'
import 'vitepress/dist/client/theme-default/styles/base.css'
import 'vitepress/dist/client/theme-default/styles/icons.css'
import 'vitepress/dist/client/theme-default/styles/utils.css'
import 'vitepress/dist/client/theme-default/styles/components/vp-code.css'
import 'vitepress/dist/client/theme-default/styles/components/vp-doc.css'
import 'vitepress/dist/client/theme-default/styles/components/vp-code-group.css'
import './site.css'
import VPBadge from 'vitepress/dist/client/theme-default/components/VPBadge.vue'
import Layout from 'vitepress/dist/client/theme-default/Layout.vue'
import type { Theme } from 'vitepress'
import redirects from '../redirects.json'

export default {
  Layout,
  enhanceApp: ({ app, router }) => {
    app.component('Badge', VPBadge)
    // Where the pages are written, there is no address.
    if (typeof location === 'undefined') return
    // A heading that moved to another page leads on.
    const moved: Readonly<Record<string, string>> = redirects
    const leadOn = (path: string) => {
      const target = moved[`${path.replace(/^\//, '').replace(/\.html$/, '')}${location.hash}`]
      if (target !== undefined) location.replace(`/${target}`)
    }
    leadOn(location.pathname)
    router.onAfterRouteChanged = (to) => leadOn(new URL(to, 'http://x').pathname)
  },
} satisfies Theme

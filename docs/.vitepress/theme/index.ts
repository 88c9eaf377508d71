/** The default theme, with the reader's own fonts and without the styles of blocks that no page has. */
import 'vitepress/dist/client/theme-default/styles/vars.css'
import 'vitepress/dist/client/theme-default/styles/base.css'
import 'vitepress/dist/client/theme-default/styles/icons.css'
import 'vitepress/dist/client/theme-default/styles/utils.css'
import 'vitepress/dist/client/theme-default/styles/components/vp-code.css'
import 'vitepress/dist/client/theme-default/styles/components/vp-doc.css'
import './contrast.css'
import VPBadge from 'vitepress/dist/client/theme-default/components/VPBadge.vue'
import Layout from 'vitepress/dist/client/theme-default/Layout.vue'
import type { Theme } from 'vitepress'

export default {
  Layout,
  enhanceApp: ({ app }) => {
    app.component('Badge', VPBadge)
  },
} satisfies Theme

/** The default theme with the fonts of the reader's system: the pages load no font files. */
export { default } from 'vitepress/theme-without-fonts'

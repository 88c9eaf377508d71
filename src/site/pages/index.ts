export { type PagePaths, pagesOf } from './paths.ts'
export { createPageRender } from './render.ts'
export { pagesRouter } from './router.ts'
export { createPages, type Pages } from './shown.ts'

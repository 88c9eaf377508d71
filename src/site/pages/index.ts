export { createPageRender } from './render.ts'
export { pagesRouter } from './router.ts'
export { createPages, type Pages } from './shown.ts'
export type {
  Visitor,
  VisitorCard,
  VisitorForm,
  VisitorMember,
  VisitorPlan,
  VisitorPrice,
  VisitorWords,
} from './visitor.ts'

export { type Catalogue, createCatalogue } from './catalogue.ts'
export { sellsAmount } from './plans.ts'

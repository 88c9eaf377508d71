export { type Catalogue, createCatalogue } from './catalogue.ts'
export { sellsAmount } from './plans.ts'
export { shopText } from './shop.ts'

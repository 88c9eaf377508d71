export { type Catalogue, createCatalogue } from './catalogue.ts'
export { noticeOf, type PriceDifference } from './differences.ts'
export { sellsAmount } from './plans.ts'
export { shopText } from './shop.ts'

export { after as afterAll, test } from 'node:test'
export { expect } from 'expect'

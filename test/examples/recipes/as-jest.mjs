import { register } from 'node:module'

// Jest itself is 190 packages; node:test runs what is written for it, with Jest's own `expect`.
register('./jest-hooks.mjs', import.meta.url)

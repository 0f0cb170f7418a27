import { clientOfPair, pairs } from '../../../examples/clients/mutants/pairs.mjs'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { explored } from './explored.mjs'

const pair = pairs.find(({ id }) => id === process.env.PAIR)

/** The client of the pair that the variable PAIR names, or the reference client, as a module of an exam. */
export default explored(pair ? clientOfPair(pair) : reference)

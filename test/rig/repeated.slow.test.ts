/** With many repetitions: see repetitions.ts. */
import './determinism.test.ts'
import './eviction.test.ts'
import './invariants.test.ts'
import './isolation.test.ts'

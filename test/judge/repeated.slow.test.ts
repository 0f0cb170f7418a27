/** With many repetitions: see repetitions.ts. */
import './backoff.test.ts'
import './properties.test.ts'

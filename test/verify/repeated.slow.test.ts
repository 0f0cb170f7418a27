/** With many repetitions: see repetitions.ts. Each lie alone, so that none shows only what another one hides. */
import './hostile.test.ts'
import './lies.test.ts'
import './lies-of-fields.test.ts'

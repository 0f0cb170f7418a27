/** With many repetitions: see repetitions.ts. */
import './hostile.test.ts'

/** With many repetitions: see repetitions.ts. */
import './damaged-files.test.ts'

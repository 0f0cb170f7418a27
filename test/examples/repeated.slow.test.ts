/** With many repetitions: see repetitions.ts. */
import './reference.property.test.ts'

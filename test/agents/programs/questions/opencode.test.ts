import { opencodeCases } from '../cases/opencode.ts'
import { testQuestions } from './matrix.ts'

testQuestions(opencodeCases())

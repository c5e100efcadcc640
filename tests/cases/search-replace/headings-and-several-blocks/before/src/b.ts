import { port } from './a';

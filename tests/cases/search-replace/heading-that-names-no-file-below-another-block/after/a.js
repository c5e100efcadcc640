import { a } from "b";

a.openSync();

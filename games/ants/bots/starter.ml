(* A first Ants bot: a line of beacons from its base to the three nearest resources. Read, change, win. *)

let read_numbers () = List.map int_of_string (String.split_on_char ' ' (read_line ()))

(* The map, once. *)
let cell_count = List.hd (read_numbers ())

(* Of each cell: its kind (0 nothing, 1 eggs, 2 crystal), and up to six other cells beside it *)
let kinds, neighbours =
  let read_cell _ =
    match read_numbers () with
    | kind :: _amount :: around -> (kind, List.filter (fun cell -> cell <> -1) around)
    | _ -> failwith "expected a cell"
  in
  let cells = Array.init cell_count read_cell in
  (Array.map fst cells, Array.map snd cells)

let _base_count = read_numbers ()
let my_bases = read_numbers ()
let _opponent_bases = read_numbers ()
let my_base = List.hd my_bases

(* Steps from my first base to each cell *)
let distances =
  let found = Array.make cell_count (-1) in
  let queue = Queue.create () in
  found.(my_base) <- 0;
  Queue.add my_base queue;
  while not (Queue.is_empty queue) do
    let cell = Queue.pop queue in
    let visit near =
      if found.(near) = -1 then begin
        found.(near) <- found.(cell) + 1;
        Queue.add near queue
      end
    in
    List.iter visit neighbours.(cell)
  done;
  found

let rec take count list =
  match list with
  | first :: rest when count > 0 -> first :: take (count - 1) rest
  | _ -> []

let play_turn numbers =
  (* two numbers are the points; only in the full game *)
  let _points, first = if List.length numbers = 2 then (numbers, read_numbers ()) else ([ 0; 0 ], numbers) in
  (* of each cell: resources, my ants, my opponent's ants *)
  let cells = Array.init cell_count (fun cell -> if cell = 0 then first else read_numbers ()) in

  let has_resources cell = List.hd cells.(cell) > 0 in
  let targets = List.filter has_resources (List.init cell_count Fun.id) in
  let nearest = List.stable_sort (fun one other -> compare distances.(one) distances.(other)) targets in
  let commands = List.map (Printf.sprintf "LINE %d %d 1" my_base) (take 3 nearest) in
  (* print_endline flushes, too *)
  print_endline (if commands = [] then "WAIT" else String.concat ";" commands)

  (* Where to start: ants are spread over all beacons, so long lines are thin ones, and a chain harvests no more than
     its thinnest cell. Take eggs first while there are few ants; then let one line begin where another one ends. *)

let () =
  try
    while true do
      play_turn (read_numbers ())
    done
  with End_of_file -> ()

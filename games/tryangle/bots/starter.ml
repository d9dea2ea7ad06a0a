(* A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win. *)

let read_numbers () = List.map int_of_string (String.split_on_char ' ' (read_line ()))

(* So many lines as the next line says *)
let read_lines () =
  let count = List.hd (read_numbers ()) in
  List.init count (fun _ -> read_numbers ())

type triangle = { corners : int list; owner : int; i_may : bool (* capture it *) }

let triangle_of = function
  | [ a; b; c; owner; i_may; _they_may ] -> { corners = [ a; b; c ]; owner; i_may = i_may = 1 }
  | _ -> failwith "expected a triangle"

(* The map, once: house -> x, y *)
let places =
  let place = function [ _house; x; y ] -> (x, y) | _ -> failwith "expected a house" in
  Array.of_list (List.map place (read_lines ()))

(* The square of the straight way between two houses *)
let distance one other =
  let (x, y), (to_x, to_y) = places.(one), places.(other) in
  ((x - to_x) * (x - to_x)) + ((y - to_y) * (y - to_y))

(* The first of those that cost least *)
let cheapest cost = function
  | [] -> None
  | first :: rest -> Some (List.fold_left (fun best one -> if cost one < cost best then one else best) first rest)

let rec without unit = function
  | [] -> []
  | first :: rest -> if first = unit then rest else first :: without unit rest

(* To each corner goes the nearest unit *)
let rec send units = function
  | [] -> []
  | corner :: corners -> (
      match cheapest (distance corner) units with
      | None -> []
      | Some house ->
          let others = send (without house units) corners in
          if house = corner then others else Printf.sprintf "MOVE %d %d 1" house corner :: others)

let play_turn _scores (* mine, my opponent's *) =
  (* of each house: its number, my units, my opponent's *)
  let houses = List.init (Array.length places) (fun _ -> read_numbers ()) in
  let _paths = read_lines () in
  let triangles = List.map triangle_of (read_lines ()) in
  let _linkable (* paths that could be added *) = read_lines () in
  (* the house of each unit *)
  let units = List.concat (List.mapi (fun house numbers -> List.init (List.nth numbers 1) (fun _ -> house)) houses) in

  (* A new unit, while there are few. *)
  let spawns =
    match List.find_opt (fun triangle -> triangle.owner = 0) triangles with
    | Some { corners; _ } when List.length units < 6 ->
        [ "SPAWN " ^ String.concat " " (List.map string_of_int corners) ]
    | _ -> []
  in

  (* The nearest triangle to capture. *)
  let wanted = List.filter (fun triangle -> triangle.owner <> 0 && triangle.i_may) triangles in
  let way corner = List.fold_left (fun least unit -> min least (distance unit corner)) max_int units in
  let cost triangle = List.fold_left (fun sum corner -> sum + way corner) 0 triangle.corners in
  let moves =
    if units = [] then []
    else match cheapest cost wanted with Some target -> send units target.corners | None -> []
  in
  let commands = spawns @ moves in
  (* print_endline flushes, too *)
  print_endline (if commands = [] then "WAIT" else String.concat ";" commands)

  (* Where to start: more than three units never walk; let them capture other triangles at the same time. A straight
     way is not always the shortest one along the paths. And look where the opponent stands before you go there. *)

let () =
  try
    while true do
      play_turn (read_numbers ())
    done
  with End_of_file -> ()

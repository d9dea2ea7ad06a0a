package com.codingame;

import java.util.Scanner;

public class Player {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextInt()) System.out.println(Reply.to(in.nextInt()));
    }
}
